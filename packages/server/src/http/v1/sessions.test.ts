import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { ErrorCode } from '@offhook/contract/errors.ts'
import { connected, customer, euro, holds, landline, mobile, routeMobile } from '#test/world/test-orders.ts'
import { databases, startWorld, type Person } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

const pdf = (pages: number, padding = ''): string => {
  const objects = Array.from({ length: pages }, (_, i) => `${i + 3} 0 obj\n<< /Type /Page /Parent 2 0 R >>\nendobj`)
  return Buffer.from(`%PDF-1.4\n1 0 obj\n<< /Type /Pages /Count ${pages} >>\nendobj\n${objects.join('\n')}\n${padding}\n%%EOF\n`).toString(
    'base64',
  )
}

for (const database of databases) {
  test(`${database}: checks and rejects every order without phones, carriers and lines, at no charge`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await customer(world)
    const [faxline] = await world.running.deps.store.read.faxlines.listByOwner(ada.accountId, ada.userId)
    const [sms] = await world.running.deps.store.read.smsLines.list(ada.accountId, ada.userId)
    await routeMobile(world, ada)
    const refused = (order: Promise<unknown>, code: ErrorCode = 'line_unavailable') => assert.rejects(order, withCode(code))
    await refused(ada.api.startCall({}, { caller: ada.device, callee: ada.number }), 'caller_not_reachable')
    await refused(ada.api.startCall({}, { caller: landline, callee: ada.number, deviceId: ada.device }))
    await refused(ada.api.sendFax({}, { faxlineId: faxline!.id, recipient: landline, filename: 'a.pdf', base64Content: pdf(2) }))
    await refused(ada.api.sendSms({}, { smsId: sms!.id, recipient: mobile, message: 'Hello' }))
    await refused(ada.api.startCall({}, { caller: ada.device, callee: '112' }), 'caller_not_reachable')
    assert.deepEqual(await holds(world, ada.accountId), { amount: 5 * euro, reserved: 0 })
    assert.deepEqual(await ada.api.getBalance(), { amount: 5 * euro, currency: 'EUR' })
  })

  test(`${database}: checks a fax page by page before any charge`, async (t) => {
    const { world, orders } = await connected(t, database)
    const ada = await customer(world)
    const bob = await world.newUser(ada.accountId)
    const eve = await customer(world)
    const lineOf = async (person: Person) =>
      (await world.running.deps.store.read.faxlines.listByOwner(person.accountId, person.userId))[0]!.id
    const fax = { faxlineId: await lineOf(ada), recipient: landline, filename: 'letter.pdf', base64Content: pdf(2) }
    const { sessionId } = await ada.api.sendFax({}, fax)
    assert.equal((await holds(world, ada.accountId)).reserved, 3 * 190, 'two pages are estimated at 150 seconds')
    assert.deepEqual(orders.faxes[0]?.document, { filename: 'letter.pdf', pdf: Buffer.from(fax.base64Content, 'base64') })
    assert.equal(orders.faxes[0]?.sessionId, sessionId)
    await ada.api.sendFax({}, { ...fax, filename: '..\\secret/\u202eevil\u0007.PDF' })
    assert.deepEqual(orders.faxes[1]?.document, { filename: 'evil.PDF', pdf: Buffer.from(fax.base64Content, 'base64') })
    await ada.api.sendFax({}, { ...fax, faxlineId: await lineOf(bob) })

    const refused = async (person: Person, change: Partial<typeof fax>, code: ErrorCode, ...named: string[]) =>
      assert.rejects(person.api.sendFax({}, { ...fax, ...change }), withCode(code, ...named))
    await refused(ada, { recipient: '112' }, 'number_invalid', 'recipient')
    await refused(ada, { recipient: 'e0' }, 'number_invalid', 'recipient')
    for (const filename of ['.pdf', '...', 'folder/', ' ']) await refused(ada, { filename }, 'parameter_invalid', 'filename')
    await refused(ada, { filename: `${'a'.repeat(252)}.pdf` }, 'parameter_invalid', 'filename')
    await refused(ada, { base64Content: 'not base64' }, 'parameter_invalid', 'base64Content')
    await refused(ada, { base64Content: Buffer.from('hello').toString('base64') }, 'parameter_invalid', 'base64Content', 'PDF')
    await refused(ada, { faxlineId: 'f99' }, 'faxline_not_found')
    await refused(bob, {}, 'forbidden')
    await refused(eve, { faxlineId: await lineOf(bob) }, 'faxline_not_found')
    await refused(ada, { recipient: '0900 1234567' }, 'destination_blocked')
    await refused(ada, { base64Content: pdf(200), recipient: '+33142685300' }, 'insufficient_funds')
    const largest = pdf(1, 'x'.repeat(10 * 1024 * 1024 - 200))
    assert.ok(largest.length > 13_980_000)
    await ada.api.sendFax({}, { ...fax, base64Content: largest.replaceAll(/.{76}/g, '$&\r\n') })
    await refused(ada, { base64Content: pdf(1, 'x'.repeat(10 * 1024 * 1024)) }, 'body_too_large')
    await refused(ada, { base64Content: pdf(1, 'x'.repeat(11 * 1024 * 1024)) }, 'body_too_large', '15000000')
    assert.equal(orders.faxes.length, 4)
    for (const [given, kept] of [
      ['letter', 'letter.pdf'],
      ['scan 3.0', 'scan 3.0.pdf'],
      ['a'.repeat(251), `${'a'.repeat(251)}.pdf`],
    ] as const) {
      await ada.api.sendFax({}, { ...fax, filename: given })
      assert.partialDeepStrictEqual(orders.faxes.at(-1)?.document, { filename: kept })
    }
  })

  test(`${database}: resends a fax while its document exists`, async (t) => {
    const { world, orders } = await connected(t, database)
    const ada = await customer(world)
    const bob = await world.newUser(ada.accountId)
    const faxlines = world.running.deps.store.read.faxlines
    const [adas] = await faxlines.listByOwner(ada.accountId, ada.userId)
    const [bobs] = await faxlines.listByOwner(ada.accountId, bob.userId)
    const record = (change: object) =>
      world.write(async (tables) => {
        const id = randomUUID()
        await tables.history.insert(ada.accountId, {
          id,
          userId: ada.userId,
          sessionId: randomUUID(),
          type: 'FAX',
          direction: 'OUTGOING',
          source: ada.number,
          target: landline,
          sourceAlias: '',
          targetAlias: '',
          status: 'PICKUP',
          connectionIds: [adas!.id],
          endpoints: [],
          createdAt: 1,
          modifiedAt: 1,
          read: true,
          archived: false,
          starred: false,
          note: '',
          labels: [],
          detail: { papers: ['document'], pageCount: 4 },
          ...change,
        })
        return id
      })
    const sent = await record({})
    await ada.api.resendFax({}, { faxId: sent, faxlineId: adas!.id })
    assert.deepEqual(orders.faxes[0]?.document, { resendOf: sent })
    assert.equal((await holds(world, ada.accountId)).reserved, 5 * 190)
    const resend = (person: Person, faxId: string, faxlineId: string) => person.api.resendFax({}, { faxId, faxlineId })
    await assert.rejects(resend(ada, 'unknown', adas!.id), { status: 404 })
    await assert.rejects(resend(ada, sent, 'f99'), { status: 404 })
    await assert.rejects(resend(bob, sent, bobs!.id), { status: 403 })
    await assert.rejects(resend(bob, sent, adas!.id), { status: 403 })
    await assert.rejects(resend(await customer(world), sent, adas!.id), { status: 404 })
    await assert.rejects(resend(ada, await record({ type: 'CALL' }), adas!.id), { status: 404 })
    await assert.rejects(resend(ada, await record({ direction: 'INCOMING' }), adas!.id), { status: 409 })
    await assert.rejects(resend(ada, await record({ detail: {} }), adas!.id), { status: 409 })
  })

  test(`${database}: charges a message by segments and requires an own sender`, async (t) => {
    const { world, orders } = await connected(t, database)
    const ada = await customer(world)
    const bob = await world.newUser(ada.accountId)
    const smsOf = async (person: Person) => (await world.running.deps.store.read.smsLines.list(person.accountId, person.userId))[0]!.id
    const sms = { smsId: await smsOf(ada), recipient: mobile, message: 'Hello' }
    await assert.rejects(ada.api.sendSms({}, sms), { status: 403 }, 'no sender yet')
    const own = await routeMobile(world, ada)
    await ada.api.sendSms({}, sms)
    assert.equal((await holds(world, ada.accountId)).reserved, 790)
    assert.equal(orders.messages[0]?.sender, own)
    await ada.api.sendSms({}, { ...sms, message: '€'.repeat(81) })
    assert.equal((await holds(world, ada.accountId)).reserved, 3 * 790, '81 euro signs are two segments')
    await ada.api.sendSms({}, { ...sms, recipient: own })
    assert.equal((await holds(world, ada.accountId)).reserved, 3 * 790, 'to an own number it is free')
    const now = world.clock.now() / 1000
    const month = 30 * 24 * 60 * 60
    await ada.api.sendSms({}, { ...sms, sendAt: now + month })
    assert.equal(orders.messages.at(-1)?.sendAt, (now + month) * 1000)
    await ada.api.sendSms({}, { ...sms, sendAt: now + 60.0005 })
    assert.equal(orders.messages.at(-1)?.sendAt, (now + 60) * 1000 + 1, 'as time.time() + 60 gives it')
    await assert.rejects(ada.api.sendSms({}, { ...sms, sendAt: now + month + 1 }), { status: 400 })
    await assert.rejects(ada.api.sendSms({}, { ...sms, sendAt: now * 1000 }), withCode('parameter_invalid', 'sendAt'))
    await assert.rejects(ada.api.sendSms({}, { ...sms, sendAt: now - 61 }), { status: 400 })
    await assert.rejects(ada.api.sendSms({}, { ...sms, message: '' }), { status: 400 })
    await ada.api.sendSms({}, { ...sms, message: 'x'.repeat(1530) })
    await assert.rejects(ada.api.sendSms({}, { ...sms, message: 'x'.repeat(1531) }), { status: 400 })
    await assert.rejects(ada.api.sendSms({}, { ...sms, recipient: '110' }), { status: 400 })
    await assert.rejects(ada.api.sendSms({}, { ...sms, smsId: 's99' }), { status: 404 })
    await assert.rejects(bob.api.sendSms({}, sms), { status: 403 })
    await assert.rejects((await customer(world)).api.sendSms({}, { ...sms, smsId: 's9' }), { status: 404 })
    await world.write((tables) => tables.accounts.cancelFeature(ada.accountId, 'SMS'))
    await assert.rejects(ada.api.sendSms({}, sms), { status: 403 })
  })
}
