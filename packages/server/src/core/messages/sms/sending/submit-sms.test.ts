import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bothDatabases, databases } from '#test/store/databases.ts'
import { ScriptedSmsRoute } from '#test/sms/scripted-sms-route.ts'
import { euro, openSmsFixture, price, outsideNumber } from '#test/sms/sms-fixture.ts'
import { SmsLater, SmsRefused } from '#core/kernel/ports/messages.ts'
import { eraseAnyEntry } from '#core/messages/erase-entry.ts'
import { text } from '#core/kernel/translations/index.ts'
import { cancelScheduled } from './cancel-sms.ts'

const minute = 60_000
const hour = 60 * minute

for (const database of bothDatabases) {
  test(`${database}: sends and charges a long message by parts; its state is that of the worst part`, async (t) => {
    const fixture = await openSmsFixture(t, database)
    const [route] = fixture.routes
    const ada = await fixture.newWriter()
    const id = await fixture.send(ada, { to: outsideNumber, text: '€'.repeat(81) })
    await fixture.idle()
    assert.deepEqual(
      route?.submitted.map(({ of, text, payload, sender }) => [of?.number, of?.total, text.length, payload.length, sender]),
      [
        [1, 2, 76, 152, ada.number],
        [2, 2, 5, 10, ada.number],
      ],
    )
    assert.deepEqual([...(route?.submitted[0]?.payload.subarray(0, 4) ?? [])], [0x1b, 0x65, 0x1b, 0x65])
    assert.equal(route?.submitted[0]?.of?.reference, route?.submitted[1]?.of?.reference)
    assert.deepEqual(await fixture.holds(ada), { amount: euro - 2 * price, reserved: 0 })
    assert.deepEqual((await fixture.entry(ada, id)).detail, { smsContent: '€'.repeat(81), smsStatusType: 'SENT' })
    await fixture.receiver.receipt('smpp', { id: '1', state: 'DELIVERED', error: '' })
    assert.equal((await fixture.entry(ada, id)).detail.smsStatusType, 'SENT', 'the other one is still on its way')
    await fixture.receiver.receipt('smpp', { id: '2', state: 'ENROUTE', error: '' })
    await fixture.receiver.receipt('smpp', { id: '2', state: 'UNDELIVERABLE', error: '001' })
    const { smsStatusType, smsReason } = (await fixture.entry(ada, id)).detail
    assert.deepEqual([smsStatusType, smsReason], ['FAILED', text('en_US', 'sms.reason.undeliverable')])
    assert.deepEqual(await fixture.holds(ada), { amount: euro - 2 * price, reserved: 0 }, 'carriers charge for taking it')
    const second = await fixture.send(ada, { to: outsideNumber })
    await fixture.idle()
    await fixture.receiver.receipt('smpp', { id: '3', state: 'DELIVERED', error: '' })
    assert.equal((await fixture.entry(ada, second)).detail.smsStatusType, 'DELIVERED')
  })
}

for (const database of databases) {
  test(`${database}: charges only the parts that the message centre accepted before a rejection`, async (t) => {
    const fixture = await openSmsFixture(t, database)
    const [route] = fixture.routes
    assert.ok(route)
    const ada = await fixture.newWriter()
    route.answer = () => new SmsRefused('no such number')
    const id = await fixture.send(ada, { to: outsideNumber, text: 'x'.repeat(400) })
    await fixture.idle()
    assert.equal(route.submitted.length, 1, 'the other parts are not even tried')
    assert.deepEqual([fixture.programNews, fixture.refusals], [[ada.smsId], ['smpp: no such number']])
    const { smsStatusType, smsReason } = (await fixture.entry(ada, id)).detail
    assert.deepEqual([smsStatusType, smsReason], ['FAILED', text('en_US', 'sms.reason.refused')])
    assert.deepEqual(await fixture.holds(ada), { amount: euro, reserved: 0 })
    await fixture.send(ada, { to: outsideNumber, text: 'x'.repeat(400), id })
    assert.deepEqual(await fixture.holds(ada), { amount: euro, reserved: 0 }, 'the same order again is the same order')

    route.answer = ({ of }) => (of?.number === 3 ? new SmsRefused('too many') : { id: 'same for all' })
    await fixture.send(ada, { to: outsideNumber, text: 'x'.repeat(400) })
    await fixture.idle()
    assert.deepEqual(await fixture.holds(ada), { amount: euro - 2 * price, reserved: 0 })
  })

  test(`${database}: sends a message only if it can be paid as a whole`, async (t) => {
    const fixture = await openSmsFixture(t, database)
    const ada = await fixture.newWriter()
    const max = Math.floor(euro / price)
    await assert.rejects(fixture.send(ada, { to: outsideNumber, text: 'x'.repeat(153 * max + 1) }), { code: 'insufficient_funds' })
    await fixture.idle()
    assert.deepEqual(await fixture.holds(ada), { amount: euro, reserved: 0 })
    assert.deepEqual([fixture.routes[0]?.submitted.length, (await fixture.history(ada)).length], [0, 0])
    await fixture.send(ada, { to: outsideNumber, text: 'x'.repeat(153 * max) })
    await fixture.idle()
    assert.equal(fixture.routes[0]?.submitted.length, max)
    assert.deepEqual(await fixture.holds(ada), { amount: euro - max * price, reserved: 0 })
  })

  test(`${database}: retries for a day without a route, and resends when acceptance is unknown`, async (t) => {
    const fixture = await openSmsFixture(t, database)
    const [route] = fixture.routes
    assert.ok(route)
    const ada = await fixture.newWriter()
    route.answer = () => new SmsLater('not connected', 5_000)
    const waiting = await fixture.send(ada, { to: outsideNumber, text: 'first' })
    await fixture.clock.advance(hour)
    assert.deepEqual(await fixture.holds(ada), { amount: euro, reserved: price })
    assert.equal((await fixture.entry(ada, waiting)).detail.smsStatusType, 'PENDING')
    assert.ok(route.submitted.length < 80, `asked less and less often: ${route.submitted.length}`)
    let tries = 0
    route.answer = () => (++tries < 4 ? new Error('no answer') : { id: 'a1' })
    await fixture.clock.advance(hour)
    assert.equal(tries, 4)
    assert.deepEqual(await fixture.holds(ada), { amount: euro - price, reserved: 0 })
    assert.equal((await fixture.entry(ada, waiting)).detail.smsStatusType, 'SENT')

    route.answer = () => new SmsLater('throttled', 1_000)
    const late = await fixture.send(ada, { to: outsideNumber, text: 'second' })
    await fixture.clock.jump(24 * hour)
    const { smsStatusType, smsReason } = (await fixture.entry(ada, late)).detail
    assert.deepEqual([smsStatusType, smsReason], ['FAILED', text('en_US', 'sms.reason.no_way')])
    assert.deepEqual(await fixture.holds(ada), { amount: euro - price, reserved: 0 })
    const { length } = route.submitted
    await fixture.clock.jump(24 * hour)
    assert.equal(route.submitted.length, length)
  })

  test(`${database}: fails over to the next route, unless one has accepted a part`, async (t) => {
    const gateway = new ScriptedSmsRoute({ name: 'gateway', takes: 'text' })
    const fixture = await openSmsFixture(t, database, { routes: [new ScriptedSmsRoute(), gateway] })
    const [smpp] = fixture.routes
    assert.ok(smpp)
    const ada = await fixture.newWriter()
    smpp.answer = () => new SmsLater('not connected', 5_000)
    const id = await fixture.send(ada, { to: outsideNumber, text: 'x'.repeat(300) })
    await fixture.idle()
    assert.deepEqual(
      gateway.submitted.map(({ text, of }) => [text.length, of]),
      [[300, undefined]],
    )
    assert.deepEqual(await fixture.holds(ada), { amount: euro - 2 * price, reserved: 0 })
    await fixture.receiver.receipt('gateway', { id: '1', state: 'DELIVERED', error: '' })
    assert.equal((await fixture.entry(ada, id)).detail.smsStatusType, 'DELIVERED')

    smpp.answer = ({ of }) => (of?.number === 2 ? new SmsLater('throttled', 1_000) : { id: `p${of?.number}` })
    await fixture.send(ada, { to: outsideNumber, text: 'y'.repeat(300) })
    await fixture.idle()
    smpp.answer = ({ of }) => ({ id: `p${of?.number}` })
    await fixture.clock.advance(minute)
    const numbers = smpp.submitted.filter(({ text }) => text.startsWith('y')).map(({ of }) => of?.number)
    assert.deepEqual(numbers, [1, 2, 2], 'what was taken is not sent again')
    assert.equal(gateway.submitted.length, 1)
    assert.deepEqual(await fixture.holds(ada), { amount: euro - 4 * price, reserved: 0 })
  })

  test(`${database}: matches receipts that arrive early and those with ambiguous ids`, async (t) => {
    const fixture = await openSmsFixture(t, database)
    const [route] = fixture.routes
    assert.ok(route)
    const ada = await fixture.newWriter()
    route.answer = async () => {
      await fixture.receiver.receipt('smpp', { id: '7', state: 'ENROUTE', error: '' })
      await fixture.receiver.receipt('smpp', { id: '7', state: 'DELIVERED', error: '', recipient: outsideNumber.slice(1) })
      return { id: '7' }
    }
    const early = await fixture.send(ada, { to: outsideNumber })
    await fixture.idle()
    assert.equal((await fixture.entry(ada, early)).detail.smsStatusType, 'DELIVERED')

    route.answer = async () => {
      await fixture.receiver.receipt('smpp', { id: '8', state: 'UNKNOWN', error: '' })
      return { id: '8' }
    }
    const unsure = await fixture.send(ada, { to: outsideNumber })
    await fixture.idle()
    await fixture.receiver.receipt('smpp', { id: '8', state: 'UNKNOWN', error: '' })
    assert.equal((await fixture.entry(ada, unsure)).detail.smsStatusType, 'SENT')
    await fixture.receiver.receipt('smpp', { id: '8', state: 'DELIVERED', error: '' })
    assert.equal((await fixture.entry(ada, unsure)).detail.smsStatusType, 'DELIVERED', 'who did not know at first may know later')

    route.answer = () => ({ id: 'always the same' })
    const one = await fixture.send(ada, { to: outsideNumber })
    await fixture.idle()
    const other = await fixture.send(ada, { to: '+4915112345679' })
    await fixture.idle()
    const states = async () => [
      (await fixture.entry(ada, one)).detail.smsStatusType,
      (await fixture.entry(ada, other)).detail.smsStatusType,
    ]
    await fixture.receiver.receipt('smpp', { id: 'always the same', state: 'DELIVERED', error: '' })
    assert.deepEqual(await states(), ['SENT', 'SENT'], 'it could be either')
    await fixture.receiver.receipt('smpp', { id: 'always the same', state: 'DELIVERED', error: '', recipient: '+4915112345679' })
    assert.deepEqual(await states(), ['SENT', 'DELIVERED'])
    await fixture.receiver.receipt('smpp', { id: 'always the same', state: 'REJECTED', error: '', recipient: outsideNumber })
    assert.deepEqual(await states(), ['FAILED', 'DELIVERED'])

    await fixture.receiver.receipt('smpp', { id: 'old', state: 'REJECTED', error: '' })
    await fixture.clock.advance(2 * hour)
    route.answer = () => ({ id: 'old' })
    const later = await fixture.send(ada, { to: outsideNumber })
    await fixture.idle()
    assert.equal((await fixture.entry(ada, later)).detail.smsStatusType, 'SENT', 'that was about another one')
  })

  test(`${database}: sends at the scheduled time, unless its entry, sender or user is gone`, async (t) => {
    const fixture = await openSmsFixture(t, database)
    const [route] = fixture.routes
    assert.ok(route)
    const ada = await fixture.newWriter()
    const sendAt = fixture.clock.now() + 20 * 24 * hour
    const id = await fixture.send(ada, { to: outsideNumber, sendAt })
    const cancelled = await fixture.send(ada, { to: outsideNumber, sendAt })
    assert.deepEqual((await fixture.entry(ada, id)).detail, { smsContent: 'Hello', smsStatusType: 'SCHEDULED', scheduledAt: sendAt })
    assert.deepEqual(await fixture.holds(ada), { amount: euro, reserved: 2 * price })
    const entry = await fixture.entry(ada, cancelled)
    await fixture.store.write((tables) => eraseAnyEntry(tables, fixture.clock, ada.accountId, entry))
    assert.deepEqual(await fixture.holds(ada), { amount: euro, reserved: price })
    await fixture.clock.jump(20 * 24 * hour - 1)
    assert.equal(route.submitted.length, 0)
    await fixture.clock.advance(1)
    assert.equal(route.submitted.length, 1)
    assert.equal((await fixture.entry(ada, id)).detail.smsStatusType, 'SENT')
    assert.deepEqual(await fixture.holds(ada), { amount: euro - price, reserved: 0 })

    const soon = fixture.clock.now() + hour
    const gone = await fixture.send(ada, { to: outsideNumber, sendAt: soon })
    const number = await fixture.store.read.numbers.findByE164(ada.accountId, ada.number)
    await fixture.store.write((tables) => tables.numbers.setState(ada.accountId, number?.id ?? '', 'PORTED_OUT'))
    await fixture.clock.advance(hour)
    assert.equal((await fixture.entry(ada, gone)).detail.smsReason, text('en_US', 'sms.reason.sender_gone'))
    await fixture.store.write((tables) => tables.numbers.setState(ada.accountId, number?.id ?? '', 'ACTIVE'))
    const last = await fixture.send(ada, { to: outsideNumber, sendAt: fixture.clock.now() + hour })
    await fixture.store.write((tables) => cancelScheduled(tables, ada.accountId, ada.userId))
    await fixture.clock.advance(hour)
    assert.equal(await fixture.store.read.messages.find(ada.accountId, last), undefined)
    assert.equal(route.submitted.length, 1)
    assert.deepEqual(await fixture.holds(ada), { amount: euro - price, reserved: 0 })
  })
  test(`${database}: erases delivery data after 30 days, keeps the history, and charges a message erased in transit`, async (t) => {
    const fixture = await openSmsFixture(t, database)
    const [route] = fixture.routes
    assert.ok(route)
    const ada = await fixture.newWriter()
    const kept = await fixture.send(ada, { to: outsideNumber })
    await fixture.idle()
    await fixture.clock.jump(29 * 24 * hour)
    assert.ok(await fixture.store.read.messages.find(ada.accountId, kept))
    await fixture.clock.jump(2 * 24 * hour)
    assert.equal(await fixture.store.read.messages.find(ada.accountId, kept), undefined)
    assert.equal((await fixture.entry(ada, kept)).detail.smsStatusType, 'SENT')

    const taken = Promise.withResolvers<{ id: string }>()
    route.answer = () => taken.promise
    const erased = await fixture.send(ada, { to: outsideNumber })
    while (route.submitted.length < 2) await new Promise((resolve) => setImmediate(resolve))
    const entry = await fixture.entry(ada, erased)
    await fixture.store.write((tables) => eraseAnyEntry(tables, fixture.clock, ada.accountId, entry))
    taken.resolve({ id: '99' })
    await fixture.idle()
    assert.deepEqual(await fixture.holds(ada), { amount: euro - 2 * price, reserved: 0 })
    assert.equal(await fixture.store.read.messages.find(ada.accountId, erased), undefined)
    assert.equal((await fixture.history(ada)).length, 1)
  })
}
