import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ErrorCode } from '@offhook/contract/errors.ts'
import { PeerCarrier } from '#test/world/peer-carrier.ts'
import { databases, startWorld, type Person, type World } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

const dayMs = 24 * 60 * 60 * 1000
const number = '+4921163550000'
const holder = { name: 'Example Ltd', street: 'Marktplatz', number: '2', postcode: '40213', city: 'Düsseldorf', country: 'DE' }
const input = { numbers: [number], holder, email: 'holder@example.com' }
const settings = { OFFHOOK_EGRESS_ALLOW: '127.0.0.1', OFFHOOK_CARRIER_CODE: 'SELF' }

/** Operator actions on one porting. */
const operatorSide = async (world: World, id: number) => {
  const operator = await world.operator()
  const portingId = String(id)
  return {
    read: () => operator.readPorting({ portingId }),
    status: async () => (await operator.readPorting({ portingId })).status,
    apply: async (event: string, data: { portDate?: string; codes?: string[] } = {}) => {
      const { status } = await operator.applyPortingEvent({ portingId }, { event, ...data })
      await world.running.idle()
      return status
    },
  }
}

const start = async (ada: Person, world: World, wanted: object): Promise<number> => {
  const { id } = await ada.api.startPorting({}, wanted as typeof input)
  await world.running.idle()
  return id
}

for (const database of databases) {
  test(`${database}: lets the operator advance a porting by paper`, async (t) => {
    const world = await startWorld(t, { database, settings })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const eve = await world.newAccount()
    const started = await ada.api.startPorting({}, { ...input, numbers: ['0211 6355 0000', '+4915112345678'], carrier: 'UNKNOWN' })
    assert.deepEqual([started.status, started.portDate, started.revocable, started.pending], [100, '', true, true])
    const portingId = String(started.id)
    const { apply, read } = await operatorSide(world, started.id)
    const [first] = started.numbers
    assert.deepEqual(
      started.numbers.map((one) => one.number),
      ['+4915112345678', '+4921163550000'],
    )
    assert.equal((await ada.api.getNumber({ numberId: first?.id ?? '' })).state, 'PORTING_IN')
    const [address] = (await ada.api.listAddresses()).items
    assert.deepEqual(
      [address?.streetAddress, address?.postalCode],
      ['Marktplatz 2', '40213'],
      'the place that justifies the landline number',
    )

    const refused = apply('request_agreed', { portDate: '2026-12-01', codes: ['8001'] })
    await assert.rejects(refused, withCode('conflict', 'request_agreed', '100', 'form_received', 'revoked'))
    await assert.rejects(apply('nonsense'), { status: 409 })
    assert.equal(await apply('form_received'), 200)
    await assert.rejects(apply('form_agreed'), withCode('parameter_invalid', 'portDate'))
    await assert.rejects(apply('form_agreed', { portDate: '2026-02-31' }), withCode('parameter_invalid', 'portDate'))
    assert.equal(await apply('form_refused'), 100)
    assert.equal(await apply('form_received'), 200)
    assert.equal(await apply('form_agreed', { portDate: '2026-12-01' }), 400)
    const agreed = await ada.api.getPorting({ portingId })
    assert.deepEqual([agreed.portDate, agreed.correctable], ['2026-12-01', false], 'on paper nothing can be corrected from here')
    await world.clock.jump(Date.UTC(2026, 10, 30) - world.clock.now())
    assert.equal((await read()).status, 450)
    await assert.rejects(ada.api.revokePorting({ portingId }), { status: 409, name: 'CONFLICT' })
    await assert.rejects(apply('exchange_confirmed'), withCode('conflict', 'exchange_confirmed', '450'))
    assert.equal(await apply('exchange_failed'), 451)
    assert.equal(await apply('exchange_opened'), 450)
    await world.clock.jump(dayMs)
    assert.equal(await apply('exchange_confirmed'), 500)
    for (const { id } of started.numbers) assert.equal((await ada.api.getNumber({ numberId: id })).state, 'ACTIVE')
    assert.deepEqual((await ada.api.listPortings()).items[0], {
      ...started,
      portDate: '2026-12-01',
      status: 500,
      revocable: false,
      pending: false,
    })

    await assert.rejects(bob.api.listPortings(), { status: 403 })
    await assert.rejects(bob.api.startPorting({}, input), { status: 403 })
    await assert.rejects(bob.api.revokePorting({ portingId }), { status: 403 })
    assert.deepEqual(await eve.api.listPortings(), { items: [] })
    for (const foreign of [portingId, '99', 'x', '-1']) {
      await assert.rejects(eve.api.getPorting({ portingId: foreign }), { status: 404 })
      await assert.rejects(eve.api.revokePorting({ portingId: foreign }), { status: 404 })
      await assert.rejects(eve.api.correctPorting({ portingId: foreign }, { holder }), { status: 404 })
    }
    await assert.rejects(ada.api.startPorting({}, input), withCode('already_exists', 'numbers/0'))
  })

  test(`${database}: rejects unportable numbers by field name`, async (t) => {
    const world = await startWorld(t, { database, settings })
    const ada = await world.newAccount()
    const operator = await world.operator()
    await start(ada, world, input)
    const bad: [object, ErrorCode, string][] = [
      [{ numbers: [] }, 'parameter_invalid', 'numbers'],
      [{ numbers: ['nonsense'] }, 'number_invalid', 'numbers/0'],
      [{ numbers: ['+442079460000'] }, 'parameter_invalid', 'numbers/0'],
      [{ numbers: ['+499001234567'] }, 'parameter_invalid', 'numbers/0'],
      [{ numbers: ['+4915112345678', '0151 12345678'] }, 'parameter_invalid', 'numbers/1'],
      [{ numbers: ['+4922116355000'] }, 'parameter_invalid', 'numbers/0'],
      [{ numbers: [number] }, 'already_exists', 'numbers/0'],
      [{ portDate: '2026-11-15' }, 'parameter_invalid', 'portDate'],
      [{ portDate: '2026-02-30' }, 'parameter_invalid', 'portDate'],
      [{ carrier: 'SELF' }, 'parameter_invalid', 'carrier'],
      [{ email: 'nobody' }, 'parameter_invalid', 'email'],
      [{ holder: { ...holder, city: '' } }, 'parameter_invalid', 'holder/city'],
    ]
    for (const [change, code, field] of bad)
      await assert.rejects(ada.api.startPorting({}, { ...input, numbers: ['+4915112345678'], ...change }), withCode(code, field))
    assert.equal((await ada.api.listPortings()).items.length, 1, 'nothing of a refused porting remains')
    assert.equal((await ada.api.listNumbers()).items.length, 1)
    await assert.rejects(operator.createPorting({}, { accountId: '1', ...input }), { status: 404 })
    const eve = await world.newAccount()
    const made = await operator.createPorting({}, { accountId: eve.accountId, ...input })
    assert.equal((await eve.api.listPortings()).items[0]?.id, made.id, 'two accounts may both try; the present carrier decides')
    assert.deepEqual(
      (await operator.listAllPortings({ accountId: eve.accountId })).items.map(({ id }) => id),
      [made.id],
    )
    await eve.api.revokePorting({ portingId: String(made.id) })
    assert.deepEqual((await eve.api.listNumbers()).items, [])
    await assert.rejects(operator.readPorting({ portingId: '0' }), { status: 404 })

    // Every order mails the holder of the number: the rate is limited.
    for (let order = 0; order < 20; order++) {
      const { id } = await eve.api.startPorting({}, input)
      await eve.api.revokePorting({ portingId: String(id) })
    }
    await assert.rejects(eve.api.startPorting({}, input), { status: 429 })
    await world.clock.jump(3_600_000)
    await eve.api.startPorting({}, input)
  })

  test(`${database}: reaches every status code and expires a consent link`, async (t) => {
    const world = await startWorld(t, { database, settings })
    const ada = await world.newAccount()
    const peer = await PeerCarrier.join(t, world, 'PEER')
    const id = await start(ada, world, { ...input, carrier: 'PEER' })
    const { apply, read, status } = await operatorSide(world, id)
    const portingId = String(id)
    const seen = () => ada.api.getPorting({ portingId })
    const agreement = async () => (await read()).preAgreementId ?? ''
    const { status: first, consentExpires } = await seen()
    assert.deepEqual([first, consentExpires], [160, new Date(world.clock.now() + 14 * dayMs).toISOString()])
    await world.clock.jump(14 * dayMs)
    assert.deepEqual([await status(), (await seen()).consentExpires], [150, undefined])
    assert.equal(await apply('optin_mail_sent'), 160)
    await world.clock.jump(13 * dayMs)
    assert.equal(await status(), 160)

    peer.status = 503
    assert.equal(await apply('optin_clicked'), 170)
    assert.equal(await status(), 251)
    peer.status = 204
    await world.clock.jump(5_000)
    assert.equal(await status(), 250)
    const request = peer.last('VA')
    assert.deepEqual([request.numbers, request.holder, request.preAgreementId], [[number], holder, await agreement()])
    await peer.say({ type: 'ABBM', preAgreementId: await agreement(), codes: ['8108'], regarding: 'VA' })
    const refused = await seen()
    assert.deepEqual([refused.status, refused.reason, refused.correctable], [252, '8108 the address is wrong', true])
    await assert.rejects(ada.api.correctPorting({ portingId }, { holder, portDate: '2020-01-01' }), { status: 400 })
    await ada.api.correctPorting({ portingId }, { holder: { ...holder, number: '4' }, portDate: '2027-03-01', email: 'new@example.com' })
    await assert.rejects(ada.api.correctPorting({ portingId }, { holder }), { status: 409 })
    await apply('optin_clicked')
    assert.deepEqual([peer.last('VA').holder?.number, peer.last('VA').portDate], ['4', '2027-03-01'])
    await peer.say({ type: 'RUEM-VA', preAgreementId: await agreement(), codes: ['8002', '8106'], portDate: '2027-03-02' })
    assert.equal(await status(), 400)
    assert.deepEqual(peer.last('AKM-TR').codes, ['8010'])

    // An agreement cancelled in favour of a new one, with new data and new consent.
    const changed = await ada.api.correctPorting({ portingId }, { holder })
    assert.deepEqual([changed.correctionRequested, changed.correctable, changed.reason], [true, false, undefined])
    await world.running.idle()
    await peer.say({ type: 'ABBM', preAgreementId: await agreement(), codes: ['8142'], regarding: peer.last('STR-AEN').type })
    assert.equal((await read()).holder.number, '4', 'a refused change changes nothing')
    await ada.api.correctPorting({ portingId }, { holder })
    await world.running.idle()
    await peer.say({ type: 'ERLM', preAgreementId: await agreement(), codes: ['8004'], regarding: 'STR-AEN' })
    assert.deepEqual([(await read()).status, (await read()).holder.number, (await read()).portDate], [160, '2', ''])
    await apply('optin_clicked')
    await peer.say({ type: 'RUEM-VA', preAgreementId: await agreement(), codes: ['8001'], portDate: '2027-03-02' })

    // The exchange fails in transit and succeeds later; a rejected cancellation delays nothing.
    await ada.api.revokePorting({ portingId })
    await ada.api.revokePorting({ portingId })
    await world.running.idle()
    assert.equal(peer.heard.filter(({ type }) => type === 'STR-AUF').length, 1)
    const revoked = await seen()
    assert.deepEqual([revoked.cancelRequested, revoked.correctable], [true, false])
    await peer.say({ type: 'ABBM', preAgreementId: await agreement(), codes: ['8142'], regarding: 'STR-AUF' })
    assert.deepEqual([(await read()).status, (await read()).cancelRequested], [400, false])
    peer.status = 503
    await world.clock.jump(Date.UTC(2027, 2, 1) - world.clock.now())
    assert.equal(await status(), 451)
    peer.status = 204
    await world.clock.jump(5_000)
    assert.equal(await status(), 450)
    peer.last('PDX-SUBMIT')
    assert.equal(await peer.say({ type: 'PDX-ACK', preAgreementId: await agreement() }), 409, 'before the date')
    await world.clock.jump(dayMs)
    assert.equal(await peer.say({ type: 'PDX-ACK', preAgreementId: await agreement() }), 204)
    assert.equal(await status(), 500)
    assert.equal((await ada.api.listNumbers()).items[0]?.state, 'ACTIVE')

    // The other exit, and the path by paper.
    const other = await start(ada, world, { ...input, numbers: ['+4915112345678'], carrier: 'PEER' })
    const second = await operatorSide(world, other)
    await second.apply('optin_clicked')
    assert.equal(await second.apply('request_rejected', { codes: ['8112', '8117'] }), 252)
    assert.equal((await second.read()).reason, '8112 the holder is wrong; 8117 the customer is not known', 'also when it was told on paper')
    await ada.api.correctPorting({ portingId: String(other) }, { holder })
    await second.apply('fall_back_to_form')
    await second.apply('form_received')
    await ada.api.revokePorting({ portingId: String(other) })
    const reached = new Set([...(await read()).events, ...(await second.read()).events].map(({ to }) => to))
    assert.deepEqual(
      [...reached].toSorted((a, b) => a - b),
      [100, 150, 160, 170, 200, 250, 251, 252, 400, 450, 451, 500, 600],
    )
  })

  test(`${database}: leaves no open request when a porting is revoked while the request is in transit`, async (t) => {
    const world = await startWorld(t, { database, settings })
    const ada = await world.newAccount()
    const peer = await PeerCarrier.join(t, world, 'PEER')
    const id = await start(ada, world, { ...input, carrier: 'PEER' })
    const { apply, read, status } = await operatorSide(world, id)
    peer.status = 503
    await apply('optin_clicked')
    await ada.api.revokePorting({ portingId: String(id) })
    assert.equal(await status(), 600)
    await world.running.idle()
    peer.status = 204
    await world.clock.jump(60_000)
    assert.deepEqual(
      peer.heard.map(({ type }) => type),
      ['STR-AUF'],
      'the request itself is no longer sent',
    )
    const { preAgreementId = '' } = await read()
    await peer.say({ type: 'ABBM', preAgreementId, codes: ['8140'], regarding: 'STR-AUF' })
    await peer.say({ type: 'RUEM-VA', preAgreementId, codes: ['8001'], portDate: '2027-03-02' })
    assert.deepEqual(
      peer.heard.map(({ type }) => type),
      ['STR-AUF', 'STR-AUF'],
    )
    assert.equal(await status(), 600)

    // Consent to a request that was rejected before, and to an unknown one.
    const late = await operatorSide(world, await start(ada, world, { ...input, carrier: 'PEER' }))
    await late.apply('optin_clicked')
    const refusedId = (await late.read()).preAgreementId ?? ''
    await peer.say({ type: 'ABBM', preAgreementId: refusedId, codes: ['8103'], regarding: 'VA' })
    for (const unwanted of [refusedId, 'unknown']) {
      await peer.say({ type: 'RUEM-VA', preAgreementId: unwanted, codes: ['8001'], portDate: '2027-03-02' })
      assert.equal(peer.last('STR-AUF').preAgreementId, unwanted)
    }
    assert.equal(await late.status(), 252)
    await late.apply('revoked')

    // A reply that overtakes the confirmation of its request, and a rejection of a porting that was being revoked.
    const next = await operatorSide(world, await start(ada, world, { ...input, carrier: 'PEER' }))
    peer.status = 503
    await next.apply('optin_clicked')
    await peer.say({ type: 'RUEM-VA', preAgreementId: (await next.read()).preAgreementId ?? '', codes: ['8001'], portDate: '2027-03-02' })
    assert.equal(await next.status(), 400)
    peer.status = 204
    const third = await start(ada, world, { ...input, numbers: ['+4915112345678'], carrier: 'PEER' })
    const last = await operatorSide(world, third)
    await last.apply('optin_clicked')
    await ada.api.revokePorting({ portingId: String(third) })
    await peer.say({ type: 'ABBM', preAgreementId: (await last.read()).preAgreementId ?? '', codes: ['8103'], regarding: 'VA' })
    assert.equal(await last.status(), 600)

    // A porting that was corrected and then revoked ends when the agreement is cancelled for either reason.
    const portingId = String((await next.read()).id)
    await ada.api.correctPorting({ portingId }, { holder })
    await ada.api.revokePorting({ portingId })
    await peer.say({ type: 'ERLM', preAgreementId: (await next.read()).preAgreementId ?? '', codes: ['8004'], regarding: 'STR-AEN' })
    assert.equal(await next.status(), 600)
  })

  test(`${database}: reminds the present carrier until it releases the number, and rechecks the address`, async (t) => {
    const world = await startWorld(t, { database, settings })
    const ada = await world.newAccount()
    const peer = await PeerCarrier.join(t, world, 'PEER')
    const { apply, read, status } = await operatorSide(world, await start(ada, world, { ...input, carrier: 'PEER' }))
    await apply('optin_clicked')
    const { preAgreementId = '' } = await read()
    await peer.say({ type: 'RUEM-VA', preAgreementId, codes: ['8001'], portDate: '2026-12-01' })
    const days = async (count: number): Promise<void> => {
      for (let quarter = 0; quarter < 4 * count; quarter++) await world.clock.jump(dayMs / 4)
    }
    const submitted = () => peer.heard.filter(({ type }) => type === 'PDX-SUBMIT')
    await world.clock.jump(Date.UTC(2026, 10, 30) - world.clock.now())
    assert.deepEqual(
      submitted().map(({ portDate }) => portDate),
      ['2026-12-01'],
    )
    await days(1)
    assert.equal(submitted().length, 1, 'there is time until the date')
    await days(1)
    assert.equal(submitted().length, 5, 'then every six hours')
    peer.status = 503
    await days(1)
    assert.equal(await status(), 451)
    peer.status = 204
    await days(1)
    assert.equal(await status(), 450)

    const [address] = (await ada.api.listAddresses()).items
    const village = { countrycode: 'DE', postcode: '99999', city: 'Hintertupfing', street: 'Dorfstraße', number: '1' }
    await ada.api.changeAddress({ addressId: address?.id ?? '' }, village)
    await peer.say({ type: 'PDX-ACK', preAgreementId })
    assert.deepEqual([await status(), (await ada.api.listNumbers()).items[0]?.state], [500, 'ADDRESS_PENDING'])
    const count = submitted().length
    await days(2)
    assert.equal(submitted().length, count)

    const second = await operatorSide(world, await start(ada, world, { ...input, numbers: ['+4915112345678'], carrier: 'PEER' }))
    await second.apply('optin_clicked')
    const other = (await second.read()).preAgreementId ?? ''
    await peer.say({ type: 'RUEM-VA', preAgreementId: other, codes: ['8001'], portDate: '2026-12-14' })
    await world.clock.jump(Date.UTC(2026, 11, 13) - world.clock.now())
    await peer.say({ type: 'ABBM', preAgreementId: other, codes: ['8140'], regarding: 'PDX-SUBMIT' })
    await world.clock.jump(5 * dayMs)
    assert.deepEqual([await second.status(), submitted().length], [451, count + 1], 'a refusal is for people to look at')
  })
}
