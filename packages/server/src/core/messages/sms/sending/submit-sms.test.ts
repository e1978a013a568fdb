import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases } from '#test/store/databases.ts'
import { ScriptedSmsRoute } from '#test/sms/scripted-sms-route.ts'
import { euro, openSmsBench, price, stranger } from '#test/sms/sms-bench.ts'
import { SmsLater, SmsRefused } from '#core/kernel/ports/sms-routes.ts'
import { eraseAnyEntry } from '#core/messages/erase-entry.ts'
import { cancelScheduled } from './cancel-sms.ts'

const minute = 60_000
const hour = 60 * minute

for (const database of databases) {
  test(`${database}: a long message goes in parts, is paid by its parts, and is as well off as the worst of them`, async (t) => {
    const bench = await openSmsBench(t, database)
    const [route] = bench.routes
    const ada = await bench.newWriter()
    const id = await bench.send(ada, { to: stranger, text: '€'.repeat(81) })
    await bench.idle()
    assert.deepEqual(
      route?.submitted.map(({ of, text, payload, sender }) => [of?.number, of?.total, text.length, payload.length, sender]),
      [
        [1, 2, 76, 152, ada.number],
        [2, 2, 5, 10, ada.number],
      ],
    )
    assert.deepEqual([...(route?.submitted[0]?.payload.subarray(0, 4) ?? [])], [0x1b, 0x65, 0x1b, 0x65])
    assert.equal(route?.submitted[0]?.of?.reference, route?.submitted[1]?.of?.reference)
    assert.deepEqual(await bench.holds(ada), { amount: euro - 2 * price, reserved: 0 })
    assert.deepEqual((await bench.entry(ada, id)).detail, { smsContent: '€'.repeat(81), smsStatusType: 'SENT' })
    await bench.receiver.receipt('smpp', { id: '1', state: 'DELIVERED', error: '' })
    assert.equal((await bench.entry(ada, id)).detail.smsStatusType, 'SENT', 'the other one is still on its way')
    await bench.receiver.receipt('smpp', { id: '2', state: 'ENROUTE', error: '' })
    await bench.receiver.receipt('smpp', { id: '2', state: 'UNDELIVERABLE', error: '001' })
    const { smsStatusType, smsReason } = (await bench.entry(ada, id)).detail
    assert.deepEqual([smsStatusType, smsReason], ['FAILED', 'The recipient could not be reached.'])
    assert.deepEqual(await bench.holds(ada), { amount: euro - 2 * price, reserved: 0 }, 'carriers charge for taking it')
    const second = await bench.send(ada, { to: stranger })
    await bench.idle()
    await bench.receiver.receipt('smpp', { id: '3', state: 'DELIVERED', error: '' })
    assert.equal((await bench.entry(ada, second)).detail.smsStatusType, 'DELIVERED')
  })

  test(`${database}: what the message centre refuses costs nothing, what it took before it refused does`, async (t) => {
    const bench = await openSmsBench(t, database)
    const [route] = bench.routes
    assert.ok(route)
    const ada = await bench.newWriter()
    route.answer = () => new SmsRefused('no such number')
    const id = await bench.send(ada, { to: stranger, text: 'x'.repeat(400) })
    await bench.idle()
    assert.equal(route.submitted.length, 1, 'the other parts are not even tried')
    assert.deepEqual([bench.doorNews, bench.refusals], [[ada.smsId], ['smpp: no such number']])
    const { smsStatusType, smsReason } = (await bench.entry(ada, id)).detail
    assert.deepEqual([smsStatusType, smsReason], ['FAILED', 'The message centre did not take the message.'])
    assert.deepEqual(await bench.holds(ada), { amount: euro, reserved: 0 })
    await bench.send(ada, { to: stranger, text: 'x'.repeat(400), id })
    assert.deepEqual(await bench.holds(ada), { amount: euro, reserved: 0 }, 'the same order again is the same order')

    route.answer = ({ of }) => (of?.number === 3 ? new SmsRefused('too many') : { id: 'same for all' })
    await bench.send(ada, { to: stranger, text: 'x'.repeat(400) })
    await bench.idle()
    assert.deepEqual(await bench.holds(ada), { amount: euro - 2 * price, reserved: 0 })
  })

  test(`${database}: a message is paid for as a whole or not sent at all`, async (t) => {
    const bench = await openSmsBench(t, database)
    const ada = await bench.newWriter()
    const most = Math.floor(euro / price)
    await assert.rejects(bench.send(ada, { to: stranger, text: 'x'.repeat(153 * most + 1) }), { code: 'insufficient_funds' })
    await bench.idle()
    assert.deepEqual(await bench.holds(ada), { amount: euro, reserved: 0 })
    assert.deepEqual([bench.routes[0]?.submitted.length, (await bench.history(ada)).length], [0, 0])
    await bench.send(ada, { to: stranger, text: 'x'.repeat(153 * most) })
    await bench.idle()
    assert.equal(bench.routes[0]?.submitted.length, most)
    assert.deepEqual(await bench.holds(ada), { amount: euro - most * price, reserved: 0 })
  })

  test(`${database}: without a route it waits, a day at most; when it is not known whether it was taken it is sent again`, async (t) => {
    const bench = await openSmsBench(t, database)
    const [route] = bench.routes
    assert.ok(route)
    const ada = await bench.newWriter()
    route.answer = () => new SmsLater('not connected', 5_000)
    const waiting = await bench.send(ada, { to: stranger, text: 'first' })
    await bench.clock.advance(hour)
    assert.deepEqual(await bench.holds(ada), { amount: euro, reserved: price })
    assert.equal((await bench.entry(ada, waiting)).detail.smsStatusType, 'PENDING')
    assert.ok(route.submitted.length < 80, `asked less and less often: ${route.submitted.length}`)
    let tries = 0
    route.answer = () => (++tries < 4 ? new Error('no answer') : { id: 'a1' })
    await bench.clock.advance(hour)
    assert.equal(tries, 4)
    assert.deepEqual(await bench.holds(ada), { amount: euro - price, reserved: 0 })
    assert.equal((await bench.entry(ada, waiting)).detail.smsStatusType, 'SENT')

    route.answer = () => new SmsLater('throttled', 1_000)
    const late = await bench.send(ada, { to: stranger, text: 'second' })
    await bench.clock.jump(24 * hour)
    const { smsStatusType, smsReason } = (await bench.entry(ada, late)).detail
    assert.deepEqual([smsStatusType, smsReason], ['FAILED', 'No message centre could be reached in time.'])
    assert.deepEqual(await bench.holds(ada), { amount: euro - price, reserved: 0 })
    const { length } = route.submitted
    await bench.clock.jump(24 * hour)
    assert.equal(route.submitted.length, length)
  })

  test(`${database}: the next route is asked when the first is not there; one that has begun goes on`, async (t) => {
    const gateway = new ScriptedSmsRoute({ name: 'gateway', takes: 'text' })
    const bench = await openSmsBench(t, database, { routes: [new ScriptedSmsRoute(), gateway] })
    const [smpp] = bench.routes
    assert.ok(smpp)
    const ada = await bench.newWriter()
    smpp.answer = () => new SmsLater('not connected', 5_000)
    const id = await bench.send(ada, { to: stranger, text: 'x'.repeat(300) })
    await bench.idle()
    assert.deepEqual(
      gateway.submitted.map(({ text, of }) => [text.length, of]),
      [[300, undefined]],
    )
    assert.deepEqual(await bench.holds(ada), { amount: euro - 2 * price, reserved: 0 })
    await bench.receiver.receipt('gateway', { id: '1', state: 'DELIVERED', error: '' })
    assert.equal((await bench.entry(ada, id)).detail.smsStatusType, 'DELIVERED')

    smpp.answer = ({ of }) => (of?.number === 2 ? new SmsLater('throttled', 1_000) : { id: `p${of?.number}` })
    await bench.send(ada, { to: stranger, text: 'y'.repeat(300) })
    await bench.idle()
    smpp.answer = ({ of }) => ({ id: `p${of?.number}` })
    await bench.clock.advance(minute)
    const numbers = smpp.submitted.filter(({ text }) => text.startsWith('y')).map(({ of }) => of?.number)
    assert.deepEqual(numbers, [1, 2, 2], 'what was taken is not sent again')
    assert.equal(gateway.submitted.length, 1)
    assert.deepEqual(await bench.holds(ada), { amount: euro - 4 * price, reserved: 0 })
  })

  test(`${database}: receipts are matched when they come first, and ids need not be unique`, async (t) => {
    const bench = await openSmsBench(t, database)
    const [route] = bench.routes
    assert.ok(route)
    const ada = await bench.newWriter()
    route.answer = async () => {
      await bench.receiver.receipt('smpp', { id: '7', state: 'ENROUTE', error: '' })
      await bench.receiver.receipt('smpp', { id: '7', state: 'DELIVERED', error: '', recipient: stranger.slice(1) })
      return { id: '7' }
    }
    const early = await bench.send(ada, { to: stranger })
    await bench.idle()
    assert.equal((await bench.entry(ada, early)).detail.smsStatusType, 'DELIVERED')

    route.answer = async () => {
      await bench.receiver.receipt('smpp', { id: '8', state: 'UNKNOWN', error: '' })
      return { id: '8' }
    }
    const unsure = await bench.send(ada, { to: stranger })
    await bench.idle()
    await bench.receiver.receipt('smpp', { id: '8', state: 'UNKNOWN', error: '' })
    assert.equal((await bench.entry(ada, unsure)).detail.smsStatusType, 'SENT')
    await bench.receiver.receipt('smpp', { id: '8', state: 'DELIVERED', error: '' })
    assert.equal((await bench.entry(ada, unsure)).detail.smsStatusType, 'DELIVERED', 'who did not know at first may know later')

    route.answer = () => ({ id: 'always the same' })
    const one = await bench.send(ada, { to: stranger })
    await bench.idle()
    const other = await bench.send(ada, { to: '+4915112345679' })
    await bench.idle()
    const states = async () => [(await bench.entry(ada, one)).detail.smsStatusType, (await bench.entry(ada, other)).detail.smsStatusType]
    await bench.receiver.receipt('smpp', { id: 'always the same', state: 'DELIVERED', error: '' })
    assert.deepEqual(await states(), ['SENT', 'SENT'], 'it could be either')
    await bench.receiver.receipt('smpp', { id: 'always the same', state: 'DELIVERED', error: '', recipient: '+4915112345679' })
    assert.deepEqual(await states(), ['SENT', 'DELIVERED'])
    await bench.receiver.receipt('smpp', { id: 'always the same', state: 'REJECTED', error: '', recipient: stranger })
    assert.deepEqual(await states(), ['FAILED', 'DELIVERED'])

    await bench.receiver.receipt('smpp', { id: 'old', state: 'REJECTED', error: '' })
    await bench.clock.advance(2 * hour)
    route.answer = () => ({ id: 'old' })
    const later = await bench.send(ada, { to: stranger })
    await bench.idle()
    assert.equal((await bench.entry(ada, later)).detail.smsStatusType, 'SENT', 'that was about another one')
  })

  test(`${database}: at its time, unless its entry is deleted, its sender is gone, or its user`, async (t) => {
    const bench = await openSmsBench(t, database)
    const [route] = bench.routes
    assert.ok(route)
    const ada = await bench.newWriter()
    const sendAt = bench.clock.now() + 20 * 24 * hour
    const id = await bench.send(ada, { to: stranger, sendAt })
    const cancelled = await bench.send(ada, { to: stranger, sendAt })
    assert.deepEqual((await bench.entry(ada, id)).detail, { smsContent: 'Hello', smsStatusType: 'SCHEDULED', scheduledAt: sendAt })
    assert.deepEqual(await bench.holds(ada), { amount: euro, reserved: 2 * price })
    const entry = await bench.entry(ada, cancelled)
    await bench.store.write((tables) => eraseAnyEntry(tables, bench.clock, ada.accountId, entry))
    assert.deepEqual(await bench.holds(ada), { amount: euro, reserved: price })
    await bench.clock.jump(20 * 24 * hour - 1)
    assert.equal(route.submitted.length, 0)
    await bench.clock.advance(1)
    assert.equal(route.submitted.length, 1)
    assert.equal((await bench.entry(ada, id)).detail.smsStatusType, 'SENT')
    assert.deepEqual(await bench.holds(ada), { amount: euro - price, reserved: 0 })

    const soon = bench.clock.now() + hour
    const gone = await bench.send(ada, { to: stranger, sendAt: soon })
    const number = await bench.store.read.numbers.findByE164(ada.accountId, ada.number)
    await bench.store.write((tables) => tables.numbers.setState(ada.accountId, number?.id ?? '', 'PORTED_OUT'))
    await bench.clock.advance(hour)
    assert.match((await bench.entry(ada, gone)).detail.smsReason ?? '', /no longer a verified number/)
    await bench.store.write((tables) => tables.numbers.setState(ada.accountId, number?.id ?? '', 'ACTIVE'))
    const last = await bench.send(ada, { to: stranger, sendAt: bench.clock.now() + hour })
    await bench.store.write((tables) => cancelScheduled(tables, ada.accountId, ada.userId))
    await bench.clock.advance(hour)
    assert.equal(await bench.store.read.messages.find(ada.accountId, last), undefined)
    assert.equal(route.submitted.length, 1)
    assert.deepEqual(await bench.holds(ada), { amount: euro - price, reserved: 0 })
  })
  test(`${database}: what was needed on the way is forgotten, what stands in the history stays; erased on its way, it is paid all the same`, async (t) => {
    const bench = await openSmsBench(t, database)
    const [route] = bench.routes
    assert.ok(route)
    const ada = await bench.newWriter()
    const kept = await bench.send(ada, { to: stranger })
    await bench.idle()
    await bench.clock.jump(29 * 24 * hour)
    assert.ok(await bench.store.read.messages.find(ada.accountId, kept))
    await bench.clock.jump(2 * 24 * hour)
    assert.equal(await bench.store.read.messages.find(ada.accountId, kept), undefined)
    assert.equal((await bench.entry(ada, kept)).detail.smsStatusType, 'SENT')

    const taken = Promise.withResolvers<{ id: string }>()
    route.answer = () => taken.promise
    const erased = await bench.send(ada, { to: stranger })
    while (route.submitted.length < 2) await new Promise((resolve) => setImmediate(resolve))
    const entry = await bench.entry(ada, erased)
    await bench.store.write((tables) => eraseAnyEntry(tables, bench.clock, ada.accountId, entry))
    taken.resolve({ id: '99' })
    await bench.idle()
    assert.deepEqual(await bench.holds(ada), { amount: euro - 2 * price, reserved: 0 })
    assert.equal(await bench.store.read.messages.find(ada.accountId, erased), undefined)
    assert.equal((await bench.history(ada)).length, 1)
  })
}
