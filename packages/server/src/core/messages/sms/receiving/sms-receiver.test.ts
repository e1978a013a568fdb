import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases } from '#test/store/databases.ts'
import { euro, openSmsBench, price, stranger, type SmsBench, type Writer } from '#test/sms/sms-bench.ts'
import type { Notification } from '#core/kernel/ports/store/line/notifications.ts'
import { partsFor } from '../text/outgoing-parts.ts'

const minute = 60_000
const hour = 60 * minute

type Of = { reference: number; total: number; number: number }

/** One after the other, as the history will show them. */
const arrive = async (bench: SmsBench, recipient: string, text: string, of?: Of): Promise<void> => {
  await deliver(bench, recipient, text, of)
  await bench.clock.advance(1)
}

const deliver = (bench: SmsBench, recipient: string, text: string, of?: Of): Promise<void> =>
  bench.receiver.arrived('smpp', { sender: stranger.slice(1), recipient, text, ...(of && { of }) })

const texts = async (bench: SmsBench, writer: Writer): Promise<(string | undefined)[]> =>
  (await bench.history(writer)).toReversed().map(({ detail }) => detail.smsContent)

const wish = (bench: SmsBench, { accountId, userId, smsId }: Writer, more: Partial<Notification>) =>
  bench.store.write(({ notifications }) =>
    notifications.insert(accountId, userId, {
      type: 'SMS',
      endpointId: smsId,
      via: 'EMAIL',
      recipient: 'ada@example.com',
      direction: 'ALL',
      ...more,
    }),
  )

const mails = async (bench: SmsBench): Promise<string[]> => {
  const queued = await bench.store.write(({ outbox }) => outbox.lease(['mail'], bench.clock.now(), 100, 1))
  return queued.map(({ payload }) => {
    const { to, subject } = JSON.parse((payload as { sealed: string }).sealed) as { to: string; subject: string }
    return `${to}: ${subject}`
  })
}

for (const database of databases) {
  test(`${database}: between numbers here a message needs no message centre, is free, and shows on phones`, async (t) => {
    const bench = await openSmsBench(t, database, { routes: [] })
    const ada = await bench.newWriter()
    const bob = await bench.newWriter()
    const device = await bench.store.write(({ devices }) =>
      devices.insert(bob.accountId, { owner: bob.userId, alias: 'Desk', type: 'REGISTER', at: 0 }),
    )
    await assert.rejects(bench.send(ada, { to: stranger }), { code: 'line_unavailable', message: /no message centre \(OFFHOOK_SMPP_URL/ })
    assert.deepEqual(await bench.holds(ada), { amount: euro, reserved: 0 })
    const id = await bench.send(ada, { to: bob.number, text: 'Hello 👋' })
    await bench.idle()
    assert.deepEqual((await bench.entry(ada, id)).detail, { smsContent: 'Hello 👋', smsStatusType: 'DELIVERED' })
    assert.deepEqual(await bench.holds(ada), { amount: euro, reserved: 0 })
    assert.deepEqual(bench.doorNews, [bob.smsId, ada.smsId], 'the one has a message, the other a receipt')
    const [entry, ...others] = await bench.history(bob)
    assert.equal(others.length, 0)
    assert.deepEqual(
      [entry?.direction, entry?.source, entry?.target, entry?.userId, entry?.connectionIds, entry?.read, entry?.detail],
      ['INCOMING', ada.number, bob.number, bob.userId, [bob.smsId], false, { smsContent: 'Hello 👋' }],
    )
    assert.deepEqual(bench.shown, [], 'no phone is there yet')
    await bench.clock.advance(3 * minute)
    const registration = {
      contact: 'sip:bob@192.0.2.1',
      path: '',
      q: '',
      ip: '192.0.2.1',
      origin: '',
      port: 5060,
      transport: 'udp',
      userAgent: '',
    }
    const { accountId } = bob
    const now = bench.clock.now()
    await bench.store.write(({ devices }) =>
      devices.register(accountId, device, { ...registration, callId: 'a', cseq: 1, expiresAt: now + hour }, now),
    )
    await bench.clock.advance(2 * minute)
    assert.deepEqual(bench.shown, [{ deviceId: device, from: ada.number, text: 'Hello 👋' }])
    await bench.clock.advance(hour)
    assert.equal(bench.shown.length, 1)
  })

  test(`${database}: a message belongs to whom its number leads to`, async (t) => {
    const bench = await openSmsBench(t, database)
    const ada = await bench.newWriter()
    const numbers = { line: '+4921155500001', group: '+4921155500002', nowhere: '+4921155500003', flow: '+4921155500004' }
    const groupId = await bench.store.write(async (tables) => {
      const id = await tables.groups.create(ada.accountId, {
        alias: 'Sales',
        strategy: 'PARALLEL',
        ringSeconds: 20,
        departmentId: undefined,
        at: 0,
      })
      await tables.groups.replaceMembers(ada.accountId, id, [ada.userId])
      return id
    })
    await bench.addNumber(ada, numbers.line, { type: 'LANDLINE', endpointId: ada.lineId })
    await bench.addNumber(ada, numbers.group, { type: 'LANDLINE', endpointId: groupId })
    await bench.addNumber(ada, numbers.nowhere, { type: 'LANDLINE' })
    await arrive(bench, '0211 55500001', 'to the line')
    await arrive(bench, '4921155500002', 'to the group')
    await arrive(bench, numbers.nowhere, 'to nobody')
    await arrive(bench, '+4915199999999', 'to a stranger')
    await arrive(bench, 'Bank', 'to letters')
    const told = (await bench.history(ada)).toReversed().map(({ userId, connectionIds, source, detail }) => ({
      userId,
      connectionIds,
      source,
      text: detail.smsContent,
    }))
    assert.deepEqual(told, [
      { userId: ada.userId, connectionIds: [ada.smsId, ada.lineId], source: stranger, text: 'to the line' },
      { userId: undefined, connectionIds: [groupId], source: stranger, text: 'to the group' },
    ])
    assert.deepEqual(bench.unclaimed, ['+4915199999999', 'Bank'])
    const undelivered = await bench.send(ada, { to: numbers.nowhere })
    await bench.idle()
    assert.deepEqual((await bench.entry(ada, undelivered)).detail.smsReason, 'Nobody reads messages to this number.')
  })

  test(`${database}: parts come in any order, twice, at once, and some never`, async (t) => {
    const bench = await openSmsBench(t, database)
    const ada = await bench.newWriter()
    const [high, low] = ['\ud83d', '\udc4b']
    await arrive(bench, ada.number, `${low} you`, { reference: 7, total: 2, number: 2 })
    await arrive(bench, ada.number, `${low} you`, { reference: 7, total: 2, number: 2 })
    assert.deepEqual(await texts(bench, ada), [])
    await arrive(bench, ada.number, `Hello ${high}`, { reference: 7, total: 2, number: 1 })
    assert.deepEqual(await texts(bench, ada), ['Hello 👋 you'])
    const numbers = [4, 2, 5, 1, 3]
    await Promise.all(numbers.map((number) => deliver(bench, ada.number, `${number}`, { reference: 8, total: 5, number })))
    await bench.clock.advance(1)
    await arrive(bench, ada.number, 'a\0b', { reference: 9, total: 1, number: 1 })
    await arrive(bench, ada.number, `alone ${high}`)
    assert.deepEqual((await texts(bench, ada)).slice(1), ['12345', 'ab', 'alone \ufffd'])

    await arrive(bench, ada.number, 'old one', { reference: 10, total: 3, number: 1 })
    await arrive(bench, ada.number, 'new one', { reference: 10, total: 3, number: 1 })
    assert.equal((await texts(bench, ada)).at(-1), 'old one[…]', 'the reference came round again')
    await arrive(bench, ada.number, ' and the end', { reference: 10, total: 3, number: 3 })
    await bench.clock.jump(26 * hour)
    assert.equal((await texts(bench, ada)).length, 6)
    assert.equal((await bench.history(ada))[0]?.detail.smsContent, 'new one[…] and the end')
    await bench.clock.jump(26 * hour)
    assert.equal((await texts(bench, ada)).length, 6)
  })

  test(`${database}: many pieces of messages that never become whole, and messages without end`, async (t) => {
    const bench = await openSmsBench(t, database)
    const ada = await bench.newWriter()
    for (let reference = 0; reference < 25; reference++)
      await deliver(bench, ada.number, `${reference}`, { reference, total: 255, number: 200 })
    await bench.clock.jump(26 * hour)
    const expected = Array.from({ length: 25 }, (_, reference) => `[…]${reference}[…]`)
    assert.deepEqual(new Set(await texts(bench, ada)), new Set(expected))
    await bench.clock.advance(1)
    await arrive(bench, ada.number, '👋'.repeat(20_000))
    const [endless] = await bench.history(ada)
    const parts = partsFor({ takes: 'parts' }, { id: '', sender: '', recipient: '', text: endless?.detail.smsContent ?? '' })
    assert.equal(parts.length, 255, 'a program can be told all of it')
  })

  test(`${database}: users are notified by mail and by SMS that is paid for; two that notify each other come to rest`, async (t) => {
    const bench = await openSmsBench(t, database)
    const [route] = bench.routes
    assert.ok(route)
    const ada = await bench.newWriter()
    const bob = await bench.newWriter()
    await wish(bench, ada, {})
    await wish(bench, ada, { recipient: 'out@example.com', direction: 'OUTGOING' })
    await wish(bench, ada, { via: 'SMS', recipient: stranger, direction: 'INCOMING' })
    await wish(bench, ada, { via: 'SMS', recipient: bob.number, direction: 'INCOMING' })
    await wish(bench, bob, { recipient: 'bob@example.com' })
    await wish(bench, bob, { via: 'SMS', recipient: ada.number })
    await arrive(bench, ada.number, 'x'.repeat(300))
    await bench.idle()
    assert.deepEqual(
      route.submitted.map(({ sender, recipient, text, of }) => [sender, recipient, text, of]),
      [['Offhook', stranger, `SMS from ${stranger}: ${'x'.repeat(125)}...`, undefined]],
    )
    assert.deepEqual(await bench.holds(ada), { amount: euro - price, reserved: 0 })
    assert.deepEqual((await mails(bench)).toSorted(), [`ada@example.com: SMS from ${stranger}`, 'bob@example.com: SMS from Offhook'])
    assert.deepEqual([(await bench.history(ada)).length, (await bench.history(bob)).length], [1, 1])
    assert.equal(await bench.store.read.jobs.nextDue(['sms.send', 'event.tell']), undefined)

    await bench.send(ada, { to: stranger })
    await bench.idle()
    const told = await mails(bench)
    assert.deepEqual(told.filter((mail) => mail.includes('sent')).toSorted(), [
      `ada@example.com: SMS sent to ${stranger}`,
      `out@example.com: SMS sent to ${stranger}`,
    ])
  })

  test(`${database}: telling by SMS ends where the money does`, async (t) => {
    const bench = await openSmsBench(t, database)
    const ada = await bench.newWriter()
    await wish(bench, ada, { via: 'SMS', recipient: stranger })
    await wish(bench, ada, {})
    for (let n = 0; n < 14; n++) await arrive(bench, ada.number, `number ${n}`)
    await bench.idle()
    assert.equal(bench.routes[0]?.submitted.length, Math.floor(euro / price))
    assert.equal((await bench.holds(ada)).amount, euro % price)
    assert.equal((await mails(bench)).length, 14, 'mails cost nothing')
  })
}
