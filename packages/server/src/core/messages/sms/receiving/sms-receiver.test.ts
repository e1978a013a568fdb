import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bothDatabases, databases } from '#test/store/databases.ts'
import { euro, openSmsFixture, price, outsideNumber, type SmsFixture, type Writer } from '#test/sms/sms-fixture.ts'
import { withCode } from '#test/http/with-code.ts'
import type { Notification } from '#core/kernel/ports/store/line.ts'
import { text } from '#core/kernel/translations/index.ts'
import { partsFor } from '../text/outgoing-parts.ts'

const minute = 60_000
const hour = 60 * minute

type Of = { reference: number; total: number; number: number }

/** In sequence, in the order of the history. */
const arrive = async (fixture: SmsFixture, recipient: string, text: string, of?: Of): Promise<void> => {
  await deliver(fixture, recipient, text, of)
  await fixture.clock.advance(1)
}

const deliver = (fixture: SmsFixture, recipient: string, text: string, of?: Of): Promise<void> =>
  fixture.receiver.arrived('smpp', { sender: outsideNumber.slice(1), recipient, text, ...(of && { of }) })

const texts = async (fixture: SmsFixture, writer: Writer): Promise<(string | undefined)[]> =>
  (await fixture.history(writer)).toReversed().map(({ detail }) => detail.smsContent)

const input = (fixture: SmsFixture, { accountId, userId, smsId }: Writer, more: Partial<Notification>) =>
  fixture.store.write(({ notifications }) =>
    notifications.insert(accountId, userId, {
      type: 'SMS',
      endpointId: smsId,
      via: 'EMAIL',
      recipient: 'ada@example.com',
      direction: 'ALL',
      ...more,
    }),
  )

const mails = async (fixture: SmsFixture): Promise<string[]> => {
  const queued = await fixture.store.write(({ outbox }) => outbox.lease(['mail'], fixture.clock.now(), 100, 1))
  return queued.map(({ payload }) => {
    const { to, subject } = JSON.parse((payload as { sealed: string }).sealed) as { to: string; subject: string }
    return `${to}: ${subject}`
  })
}

for (const database of databases) {
  test(`${database}: delivers between local numbers free, without a message centre, and shows the message on phones`, async (t) => {
    const fixture = await openSmsFixture(t, database, { routes: [] })
    const ada = await fixture.newWriter()
    const bob = await fixture.newWriter()
    const device = await fixture.store.write(({ devices }) =>
      devices.insert(bob.accountId, { owner: bob.userId, alias: 'Desk', type: 'REGISTER', at: 0 }),
    )
    await assert.rejects(fixture.send(ada, { to: outsideNumber }), withCode('line_unavailable', 'OFFHOOK_SMPP_URL'))
    assert.deepEqual(await fixture.holds(ada), { amount: euro, reserved: 0 })
    const id = await fixture.send(ada, { to: bob.number, text: 'Hello 👋' })
    await fixture.idle()
    assert.deepEqual((await fixture.entry(ada, id)).detail, { smsContent: 'Hello 👋', smsStatusType: 'DELIVERED' })
    assert.deepEqual(await fixture.holds(ada), { amount: euro, reserved: 0 })
    assert.deepEqual(fixture.programNews, [bob.smsId, ada.smsId], 'the one has a message, the other a receipt')
    const [entry, ...others] = await fixture.history(bob)
    assert.equal(others.length, 0)
    assert.deepEqual(
      [entry?.direction, entry?.source, entry?.target, entry?.userId, entry?.connectionIds, entry?.read, entry?.detail],
      ['INCOMING', ada.number, bob.number, bob.userId, [bob.smsId], false, { smsContent: 'Hello 👋' }],
    )
    assert.deepEqual(fixture.shown, [], 'no phone is there yet')
    await fixture.clock.advance(3 * minute)
    const registration = {
      contact: 'sip:bob@192.0.2.1',
      path: '',
      q: '',
      ip: '192.0.2.1',
      via: '',
      origin: '',
      port: 5060,
      transport: 'udp',
      userAgent: '',
    }
    const { accountId } = bob
    const now = fixture.clock.now()
    await fixture.store.write(({ devices }) =>
      devices.register(accountId, device, { ...registration, callId: 'a', cseq: 1, expiresAt: now + hour }, now),
    )
    await fixture.clock.advance(2 * minute)
    assert.deepEqual(fixture.shown, [{ deviceId: device, from: ada.number, text: 'Hello 👋' }])
    await fixture.clock.advance(hour)
    assert.equal(fixture.shown.length, 1)
  })

  test(`${database}: assigns a message to the target of its number`, async (t) => {
    const fixture = await openSmsFixture(t, database)
    const ada = await fixture.newWriter()
    const numbers = { line: '+4921155500001', group: '+4921155500002', nowhere: '+4921155500003', flow: '+4921155500004' }
    const groupId = await fixture.store.write(async (tables) => {
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
    await fixture.addNumber(ada, numbers.line, { type: 'LANDLINE', endpointId: ada.lineId })
    await fixture.addNumber(ada, numbers.group, { type: 'LANDLINE', endpointId: groupId })
    await fixture.addNumber(ada, numbers.nowhere, { type: 'LANDLINE' })
    await arrive(fixture, '0211 55500001', 'to the line')
    await arrive(fixture, '4921155500002', 'to the group')
    await arrive(fixture, numbers.nowhere, 'to nobody')
    await arrive(fixture, '+4915199999999', 'to a stranger')
    await arrive(fixture, 'Bank', 'to letters')
    const notified = (await fixture.history(ada)).toReversed().map(({ userId, connectionIds, source, detail }) => ({
      userId,
      connectionIds,
      source,
      text: detail.smsContent,
    }))
    assert.deepEqual(notified, [
      { userId: ada.userId, connectionIds: [ada.smsId, ada.lineId], source: outsideNumber, text: 'to the line' },
      { userId: undefined, connectionIds: [groupId], source: outsideNumber, text: 'to the group' },
    ])
    assert.deepEqual(fixture.unclaimed, ['+4915199999999', 'Bank'])
    const undelivered = await fixture.send(ada, { to: numbers.nowhere })
    await fixture.idle()
    assert.deepEqual((await fixture.entry(ada, undelivered)).detail.smsReason, text('en_US', 'sms.reason.nobody_there'))
  })
}

for (const database of bothDatabases) {
  test(`${database}: joins reordered, repeated and concurrent parts and marks missing ones`, async (t) => {
    const fixture = await openSmsFixture(t, database)
    const ada = await fixture.newWriter()
    const [high, low] = ['\ud83d', '\udc4b']
    await arrive(fixture, ada.number, `${low} you`, { reference: 7, total: 2, number: 2 })
    await arrive(fixture, ada.number, `${low} you`, { reference: 7, total: 2, number: 2 })
    assert.deepEqual(await texts(fixture, ada), [])
    await arrive(fixture, ada.number, `Hello ${high}`, { reference: 7, total: 2, number: 1 })
    assert.deepEqual(await texts(fixture, ada), ['Hello 👋 you'])
    const numbers = [4, 2, 5, 1, 3]
    await Promise.all(numbers.map((number) => deliver(fixture, ada.number, `${number}`, { reference: 8, total: 5, number })))
    await fixture.clock.advance(1)
    await arrive(fixture, ada.number, 'a\0b', { reference: 9, total: 1, number: 1 })
    await arrive(fixture, ada.number, `alone ${high}`)
    assert.deepEqual((await texts(fixture, ada)).slice(1), ['12345', 'ab', 'alone \ufffd'])

    await arrive(fixture, ada.number, 'old one', { reference: 10, total: 3, number: 1 })
    await arrive(fixture, ada.number, 'new one', { reference: 10, total: 3, number: 1 })
    assert.equal((await texts(fixture, ada)).at(-1), 'old one[…]', 'the reference came round again')
    await arrive(fixture, ada.number, ' and the end', { reference: 10, total: 3, number: 3 })
    await fixture.clock.jump(26 * hour)
    assert.equal((await texts(fixture, ada)).length, 6)
    assert.equal((await fixture.history(ada))[0]?.detail.smsContent, 'new one[…] and the end')
    await fixture.clock.jump(26 * hour)
    assert.equal((await texts(fixture, ada)).length, 6)
  })
}

for (const database of databases) {
  test(`${database}: stores many incomplete messages and truncates an endless one`, async (t) => {
    const fixture = await openSmsFixture(t, database)
    const ada = await fixture.newWriter()
    for (let reference = 0; reference < 25; reference++)
      await deliver(fixture, ada.number, `${reference}`, { reference, total: 255, number: 200 })
    await fixture.clock.jump(26 * hour)
    const expected = Array.from({ length: 25 }, (_, reference) => `[…]${reference}[…]`)
    assert.deepEqual(new Set(await texts(fixture, ada)), new Set(expected))
    await fixture.clock.advance(1)
    await arrive(fixture, ada.number, '👋'.repeat(20_000))
    const [endless] = await fixture.history(ada)
    const parts = partsFor({ takes: 'parts' }, { id: '', sender: '', recipient: '', text: endless?.detail.smsContent ?? '' })
    assert.equal(parts.length, 255, 'a program can be told all of it')
  })

  test(`${database}: notifies by mail and by charged SMS without a loop between two users`, async (t) => {
    const fixture = await openSmsFixture(t, database)
    const [route] = fixture.routes
    assert.ok(route)
    const ada = await fixture.newWriter()
    const bob = await fixture.newWriter()
    await input(fixture, ada, {})
    await input(fixture, ada, { recipient: 'out@example.com', direction: 'OUTGOING' })
    await input(fixture, ada, { via: 'SMS', recipient: outsideNumber, direction: 'INCOMING' })
    await input(fixture, ada, { via: 'SMS', recipient: bob.number, direction: 'INCOMING' })
    await input(fixture, bob, { recipient: 'bob@example.com' })
    await input(fixture, bob, { via: 'SMS', recipient: ada.number })
    await arrive(fixture, ada.number, 'x'.repeat(300))
    await fixture.idle()
    assert.deepEqual(
      route.submitted.map(({ sender, recipient, text, of }) => [sender, recipient, text, of]),
      [['Offhook', outsideNumber, `SMS from ${outsideNumber}: ${'x'.repeat(125)}...`, undefined]],
    )
    assert.deepEqual(await fixture.holds(ada), { amount: euro - price, reserved: 0 })
    assert.deepEqual((await mails(fixture)).toSorted(), [`ada@example.com: SMS from ${outsideNumber}`, 'bob@example.com: SMS from Offhook'])
    assert.deepEqual([(await fixture.history(ada)).length, (await fixture.history(bob)).length], [1, 1])
    assert.equal(await fixture.store.read.jobs.nextDue(['sms.send', 'event.tell']), undefined)

    await fixture.send(ada, { to: outsideNumber })
    await fixture.idle()
    const notified = await mails(fixture)
    assert.deepEqual(notified.filter((mail) => mail.includes('sent')).toSorted(), [
      `ada@example.com: SMS sent to ${outsideNumber}`,
      `out@example.com: SMS sent to ${outsideNumber}`,
    ])
  })

  test(`${database}: stops SMS notifications when the balance is used up`, async (t) => {
    const fixture = await openSmsFixture(t, database)
    const ada = await fixture.newWriter()
    await input(fixture, ada, { via: 'SMS', recipient: outsideNumber })
    await input(fixture, ada, {})
    for (let n = 0; n < 14; n++) await arrive(fixture, ada.number, `number ${n}`)
    await fixture.idle()
    assert.equal(fixture.routes[0]?.submitted.length, Math.floor(euro / price))
    assert.equal((await fixture.holds(ada)).amount, euro % price)
    assert.equal((await mails(fixture)).length, 14, 'mails cost nothing')
  })
}
