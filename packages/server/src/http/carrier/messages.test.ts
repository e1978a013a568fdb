import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { CarrierMessageBody } from '@offhook/contract/carrier/messages.ts'
import { PeerCarrier } from '#test/world/peer-carrier.ts'
import { bothDatabases, databases, startWorld, type Database, type Person, type World } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

const dayMs = 24 * 60 * 60 * 1000
const number = '+4921163550000'
const mobile = '+4915112345678'
const place = { street: 'Marktplatz', number: '2', postcode: '40213', city: 'Düsseldorf' }
const holder = { name: 'Example Ltd', ...place, country: 'DE' }

interface Scene {
  world: World
  ada: Person
  peer: PeerCarrier
  numberId: string
  mobileId: string
}

const scene = async (t: TestContext, database: Database): Promise<Scene> => {
  const world = await startWorld(t, { database, settings: { OFFHOOK_EGRESS_ALLOW: '127.0.0.1' } })
  const operator = await world.operator()
  const ada = await world.newAccount('Example Ltd')
  const { accountId } = ada
  const { id: addressId } = await operator.createAddress({}, { accountId, ...place, countrycode: 'DE' })
  const { id: numberId } = await operator.assignNumber({}, { accountId, number, addressId })
  const { id: mobileId } = await operator.assignNumber({}, { accountId, number: mobile })
  return { world, ada, numberId, mobileId, peer: await PeerCarrier.join(t, world, 'PEER') }
}

for (const database of databases) {
  test(`${database}: checks another carrier's request before a number may leave`, async (t) => {
    const { world, ada, peer, mobileId } = await scene(t, database)
    const eve = await world.newAccount('Other Ltd')
    const operator = await world.operator()
    await operator.assignNumber({}, { accountId: eve.accountId, number: '+4915112345679' })
    let asked = 0
    const ask = async (input: Partial<CarrierMessageBody>): Promise<CarrierMessageBody> => {
      assert.equal(await peer.say({ type: 'VA', preAgreementId: `PEER.${++asked}`, numbers: [number], holder, ...input }), 204)
      const answer = peer.heard.at(-1)
      assert.ok(answer)
      return answer
    }
    const refused: [Partial<CarrierMessageBody>, string][] = [
      [{ numbers: ['+4921163559999'] }, '8103'],
      [{ numbers: [number, '+4921163559999'] }, '8103'],
      [{ numbers: [number, '+4915112345679'] }, '8117'],
      [{ holder: { ...holder, name: 'Example' } }, '8112'],
      [{ holder: { ...holder, number: '3' } }, '8108'],
      [{ holder: { ...holder, postcode: '50667' } }, '8108'],
      [{ numbers: [mobile] }, '8116'],
    ]
    for (const [input, code] of refused) {
      const { type, codes, regarding } = await ask(input)
      assert.deepEqual({ type, codes, regarding }, { type: 'ABBM', codes: [code], regarding: 'VA' })
    }
    assert.deepEqual((await operator.listAllPortings({})).items, [])

    await ada.api.changeNumber({ numberId: mobileId }, { releaseForMnp: true })
    const user = await world.running.deps.store.read.users.find(ada.accountId, ada.userId)
    const person = { ...holder, name: `${user?.firstname} ${user?.lastname}`.toLowerCase() }
    const released = await ask({ numbers: [mobile], holder: person, portDate: '2026-12-01' })
    assert.deepEqual([released.type, released.codes, released.portDate], ['RUEM-VA', ['8001'], '2026-12-01'])
    const hurried = await ask({ portDate: '2026-11-17', preAgreementId: 'PEER.land' })
    assert.deepEqual([hurried.type, hurried.codes, hurried.portDate], ['RUEM-VA', ['8002'], '2026-11-20'])
    assert.deepEqual((await ask({})).codes, ['8118'], 'already promised')
    assert.deepEqual((await ask({ preAgreementId: 'PEER.land' })).type, 'RUEM-VA', 'asked again because the answer got lost')
    await assert.rejects(operator.releaseNumber({ numberId: mobileId }), { status: 409 })

    // Can be cancelled until the switch is prepared, not after.
    await peer.say({ type: 'STR-AUF', preAgreementId: 'PEER.land' })
    assert.deepEqual([peer.last('ERLM').codes, peer.last('ERLM').regarding], [['8004'], 'STR-AUF'])
    assert.deepEqual((await ask({ preAgreementId: 'PEER.land' })).codes, ['8115'], 'an id is used once')
    assert.deepEqual(
      (await operator.listAllPortings({})).items.map(({ status }) => status),
      [400, 600],
    )
    await peer.say({ type: 'PDX-SUBMIT', preAgreementId: 'PEER.land' })
    assert.deepEqual(peer.last('ABBM').codes, ['8140'])
    const { preAgreementId } = released
    await peer.say({ type: 'AKM-TR', preAgreementId, codes: ['8010'] })
    await peer.say({ type: 'PDX-SUBMIT', preAgreementId })
    await peer.say({ type: 'STR-AUF', preAgreementId })
    assert.deepEqual([peer.last('ABBM').codes, peer.last('ABBM').regarding], [['8142'], 'STR-AUF'])
    await peer.say({ type: 'TV', preAgreementId, portDate: '2026-12-08' })
    assert.deepEqual(peer.last('ABBM').codes, ['8141'])
    await peer.say({ type: 'TV', preAgreementId: 'unknown', portDate: '2026-12-08' })
    assert.deepEqual(peer.last('ABBM').codes, ['8140'])

    await world.clock.jump(Date.UTC(2026, 11, 1) - world.clock.now())
    peer.last('PDX-ACK')
    const gone = await ada.api.getNumber({ numberId: mobileId })
    assert.deepEqual([gone.state, gone.endpointId, gone.mnpState?.isReleased], ['PORTED_OUT', '', false])
    await assert.rejects(ada.api.changeNumber({ numberId: mobileId }, { endpointId: 'p0' }), { status: 409 })
    const events = (await world.running.deps.store.read.appEvents.list(ada.accountId)).map(({ payload }) => [
      payload.direction,
      payload.status,
    ])
    assert.deepEqual(events.slice(1), [
      ['OUT', '400'],
      ['OUT', '400'],
      ['OUT', '600'],
      ['OUT', '500'],
    ])
  })

  test(`${database}: keeps the number on the port date without the data exchange`, async (t) => {
    const { world, ada, peer, numberId } = await scene(t, database)
    await peer.say({ type: 'VA', preAgreementId: 'PEER.1', numbers: [number], holder })
    await world.clock.jump(10 * dayMs)
    assert.equal((await ada.api.getNumber({ numberId })).state, 'ACTIVE')
    await peer.say({ type: 'PDX-SUBMIT', preAgreementId: 'PEER.1' })
    peer.last('PDX-ACK')
    assert.equal((await ada.api.getNumber({ numberId })).state, 'PORTED_OUT')
    await peer.say({ type: 'PDX-SUBMIT', preAgreementId: 'PEER.1' })
    peer.last('PDX-ACK')
  })

  test(`${database}: promises a number to one carrier only and releases it on the later of two dates`, async (t) => {
    const { world, ada, peer, numberId } = await scene(t, database)
    const operator = await world.operator()
    const eve = await world.newAccount('Other Ltd')
    const { id: addressId } = await operator.createAddress({}, { accountId: eve.accountId, ...place, countrycode: 'DE' })
    const giveToEve = () => operator.assignNumber({}, { accountId: eve.accountId, number, addressId })
    const promise = (preAgreementId: string) => peer.say({ type: 'VA', preAgreementId, numbers: [number], holder })
    await promise('PEER.1')
    await assert.rejects(operator.closeAccount({ accountId: ada.accountId }), withCode('conflict'))
    const [own] = (await ada.api.listAddresses()).items
    const away = { countrycode: 'DE', postcode: '50667', city: 'Köln', street: 'Domkloster', number: '4' }
    await ada.api.changeAddress({ addressId: own?.id ?? '' }, away)
    assert.equal((await ada.api.getNumber({ numberId })).state, 'DEACTIVATED')
    await assert.rejects(giveToEve(), withCode('already_exists'))

    // The operator can end it if the other carrier is gone for good.
    const [leaving] = (await operator.listAllPortings({})).items
    const portingId = String(leaving?.id)
    await assert.rejects(
      operator.applyPortingEvent({ portingId }, { event: 'exchange_confirmed' }),
      withCode('conflict', 'cancel_confirmed'),
    )
    assert.equal((await operator.applyPortingEvent({ portingId }, { event: 'cancel_confirmed' })).status, 600)
    await assert.rejects(operator.applyPortingEvent({ portingId }, { event: 'cancel_confirmed' }), { status: 409 })
    await ada.api.changeAddress({ addressId: own?.id ?? '' }, { ...place, countrycode: 'DE' })
    await operator.reactivateNumber({ numberId })

    // Our consent to the earlier date got lost: the new carrier names the date it knows.
    await promise('PEER.2')
    await peer.say({ type: 'PDX-SUBMIT', preAgreementId: 'PEER.2', portDate: '2026-11-25' })
    await world.clock.jump(Date.UTC(2026, 10, 24) - world.clock.now())
    assert.equal((await ada.api.getNumber({ numberId })).state, 'ACTIVE')
    await world.clock.jump(dayMs)
    assert.equal((await ada.api.getNumber({ numberId })).state, 'PORTED_OUT')
    await assert.rejects(giveToEve(), withCode('already_exists'))
    await operator.releaseNumber({ numberId })
    await giveToEve()
  })
}

for (const database of bothDatabases) {
  test(`${database}: promises the number to one of two concurrent requests`, async (t) => {
    const { world, peer } = await scene(t, database)
    const rival = await PeerCarrier.join(t, world, 'RIVAL')
    await Promise.all([peer, rival].map((one) => one.say({ type: 'VA', preAgreementId: one.code, numbers: [number], holder })))
    await world.running.idle()
    const answers = [peer, rival].map(({ heard }) => heard.map(({ type, codes }) => [type, codes]))
    const agreed = [['RUEM-VA', ['8001']]]
    const refused = [['ABBM', ['8118']]]
    assert.deepEqual(answers, JSON.stringify(answers[0]) === JSON.stringify(agreed) ? [agreed, refused] : [refused, agreed])
    const operator = await world.operator()
    assert.equal((await operator.listAllPortings({})).items.length, 1)
  })
}

for (const database of databases) {
  test(`${database}: accepts a message once, and only with a valid signature`, async (t) => {
    const { world, peer } = await scene(t, database)
    const outsideNumber = await PeerCarrier.join(t, world, 'STRANGER')
    const operator = await world.operator()
    const request = { id: 'one', type: 'VA', preAgreementId: 'PEER.1', numbers: [number], holder } satisfies CarrierMessageBody
    for (let time = 0; time < 3; time++) assert.equal(await peer.say(request), 204)
    assert.equal(peer.heard.length, 1)
    assert.equal((await operator.listAllPortings({})).items.length, 1)

    const body = JSON.stringify({ ...request, id: 'two', type: 'STR-AUF', numbers: undefined, holder: undefined })
    assert.equal((await peer.post(body, { secret: outsideNumber.secret })).status, 401)
    assert.equal((await peer.post(body, { code: 'NOBODY' })).status, 401)
    assert.equal(
      (await fetch(`${world.url}/carrier/v1/messages`, { method: 'POST', body, headers: { 'content-type': 'application/json' } })).status,
      401,
    )
    assert.equal(await outsideNumber.say({ type: 'STR-AUF', preAgreementId: 'PEER.1' }), 204)
    assert.deepEqual(outsideNumber.last('ABBM').codes, ['8140'], "another carrier's agreement is nobody's business")
    assert.equal((await operator.listAllPortings({})).items[0]?.status, 400)

    const bad: [Partial<CarrierMessageBody>, number][] = [
      [{ type: 'ERLM', regarding: 'TV' }, 404],
      [{ type: 'TV', portDate: '2026-02-31' }, 400],
      [{ type: 'TV' }, 400],
      [{ type: 'VA', preAgreementId: 'PEER.2' }, 400],
      [{ type: 'VA', preAgreementId: 'PEER.2', numbers: ['x'], holder }, 400],
    ]
    for (const [message, status] of bad)
      assert.equal(await peer.say({ type: 'VA', preAgreementId: 'PEER.1', ...message }), status, JSON.stringify(message))
    const before = await operator.listAllPortings({})
    const headers = { 'content-type': 'application/json', 'x-carrier-code': 'PEER', ...peer.sign(body) }
    const send = async (change: Record<string, string>, text = body): Promise<number> => {
      const reply = await fetch(`${world.url}/carrier/v1/messages`, { method: 'POST', headers: { ...headers, ...change }, body: text })
      await reply.body?.cancel()
      return reply.status
    }
    assert.equal(await send({}, body.replace('PEER.1', 'PEER.9')), 401, 'another body than the signed one')
    assert.equal(await send({ 'webhook-id': 'other' }), 401)
    assert.equal(await send({ 'webhook-timestamp': String(Number(peer.sign(body)['webhook-timestamp']) + 1) }), 401)
    assert.equal(await send({ 'x-carrier-code': 'STRANGER' }), 401)
    assert.equal(await send({ 'content-type': 'text/plain' }), 415)
    assert.equal(await send({ 'content-type': 'application/x-www-form-urlencoded' }, 'id=one'), 401)
    assert.equal(await send({}, JSON.stringify({ ...request, id: 'x'.repeat(70_000) })), 413)
    await world.clock.jump(301_000)
    assert.equal(await send({}), 401, 'too old')
    await world.clock.jump(dayMs)
    assert.equal(await send({}), 401, 'far too old')
    assert.deepEqual(await operator.listAllPortings({}), before)

    assert.equal((await peer.post('{"id":')).status, 400)
    assert.equal((await peer.post(JSON.stringify({ ...request, id: 'three', extra: 1 }))).status, 400)
  })
}
