import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { bothDatabases, databases, type Database } from '#test/store/databases.ts'
import { addFlow, adminOf } from '#test/routing/flow-calls.ts'
import { ScriptedAssistant } from '#test/routing/scripted-assistant.ts'
import { Exchange, openExchange, outsideNumber, type Customer } from '#test/routing/scripted-exchange.ts'
import { dial, events, gather, saying, ScriptedGuide } from '#test/routing/scripted-guide.ts'
import { orderCall } from '#test/routing/scripted-order.ts'
import type { ScriptedLeg } from '#test/ports/scripted-leg.ts'
import { withCode } from '#test/http/with-code.ts'

interface Scene {
  exchange: Exchange
  assistant: ScriptedAssistant
  ada: Customer
}

const prepare = async (t: TestContext, { database = 'sqlite' }: { database?: Database } = {}): Promise<Scene> => {
  const assistant = new ScriptedAssistant()
  const exchange = await openExchange(t, { database, flows: assistant })
  await exchange.addTrunk()
  return { exchange, assistant, ada: await exchange.newCustomer() }
}

const listed = ({ exchange, ada }: Scene) => exchange.calls.list(adminOf(ada)).map(({ callId }) => callId)

/** The caller has answered; returns its phone and the one that rings now. */
const calling = async (exchange: Exchange): Promise<{ caller: ScriptedLeg; callee: ScriptedLeg }> => {
  const caller = exchange.phone
  caller.answers()
  await exchange.rest()
  return { caller, callee: exchange.phone }
}

for (const database of databases) {
  test(`${database}: rings the caller, then the callee, and connects both under the session id`, async (t) => {
    const scene = await prepare(t, { database })
    const { exchange, ada } = scene
    const callId = await orderCall(exchange, ada, { callee: outsideNumber })
    const { phone } = exchange
    assert.deepEqual(phone.target, { kind: 'device', accountId: ada.accountId, deviceId: ada.deviceId })
    assert.deepEqual(phone.dial?.caller, { number: outsideNumber, name: '', withheld: false }, 'it shows whom it will talk to')
    phone.rings()
    await exchange.seconds(20)
    assert.deepEqual([exchange.telephony.called.length, listed(scene)], [1, []], 'nobody else rings before somebody has picked up')
    const { caller, callee } = await calling(exchange)
    assert.deepEqual(caller.log, ['play ringback'])
    assert.equal(callee.target?.kind === 'trunk' && callee.target.number, outsideNumber)
    assert.deepEqual(callee.dial?.caller, { number: ada.number, name: 'Ada Lovelace', withheld: false })
    assert.deepEqual([await exchange.money(ada), listed(scene)], [{ spent: 0, reserved: 190 }, []])
    await exchange.seconds(10)
    callee.answers()
    await exchange.rest()
    assert.deepEqual([caller.hears, callee.hears, caller.playing], [[callee], [caller], []])
    assert.deepEqual(listed(scene), [callId])
    await exchange.seconds(61.5)
    callee.hangsUp()
    await exchange.rest()
    assert.deepEqual(caller.log.at(-1), 'hangUp normal')
    assert.deepEqual(await exchange.money(ada), { spent: 380, reserved: 0 })
    const entry = await exchange.entry(ada)
    assert.deepEqual([entry.sessionId, entry.direction, entry.status, entry.detail.duration], [callId, 'OUTGOING', 'PICKUP', 61])
    assert.deepEqual(
      [entry.source, entry.target, entry.userId, entry.connectionIds],
      [ada.number, outsideNumber, ada.userId, [ada.line, ada.deviceId]],
    )
    assert.deepEqual(
      exchange.changes.map(([what, facts]) => [what, facts.callId === callId]),
      ['started', 'ringing', 'answered', 'ended'].map((what) => [what, true]),
    )
  })

  test(`${database}: charges no unanswered call, records the cause, and does not repeat the request`, async (t) => {
    const { exchange, ada } = await prepare(t, { database })
    const hangUp = () => exchange.calls.get(adminOf(ada), exchange.changes.at(-1)?.[1].callId ?? '').hangUp()
    const ends: [status: string, reason: string, by: string, end: (caller: ScriptedLeg) => unknown][] = [
      ['BUSY', 'busy', 'caller', (caller) => caller.refuses('busy', 486)],
      ['REJECTED', 'rejected', 'caller', (caller) => caller.refuses('rejected', 603)],
      ['MISSED', 'no_answer', 'caller', () => exchange.seconds(60)],
      ['MISSED', 'api_hangup', 'api', hangUp],
      ['BUSY', 'busy', 'callee', async () => (await calling(exchange)).callee.refuses('busy', 486)],
      ['MISSED', 'no_answer', 'callee', async () => (await calling(exchange), exchange.seconds(60))],
      ['FAILURE', 'failed', 'service', async () => (await calling(exchange)).callee.refuses('not_found', 404)],
      ['MISSED', 'caller_hangup', 'caller', async () => (await calling(exchange)).caller.hangsUp()],
      ['MISSED', 'api_hangup', 'api', async () => (await calling(exchange), hangUp())],
    ]
    const orders: string[] = []
    for (const [status, reason, by, end] of ends) {
      const order = await orderCall(exchange, ada, { callee: outsideNumber })
      await orderCall(exchange, ada, { callee: outsideNumber }, order)
      orders.push(order)
      await end(exchange.phone)
      await exchange.seconds(10)
      assert.deepEqual([exchange.lastEnd?.reason, exchange.lastEnd?.by], [reason, by])
      assert.deepEqual([exchange.telephony.alive, exchange.callRouter.size], [[], 0])
      const [entry] = await exchange.history(ada)
      assert.deepEqual([entry?.direction, entry?.detail.callStatus, entry?.detail.duration], ['MISSED_OUTGOING', status, 0], reason)
    }
    const { length } = exchange.telephony.called
    for (const order of orders) await orderCall(exchange, ada, { callee: outsideNumber }, order)
    assert.deepEqual([exchange.telephony.called.length, (await exchange.history(ada)).length], [length, ends.length])
    assert.deepEqual(await exchange.money(ada), { spent: 0, reserved: 0 })
  })
}

for (const database of bothDatabases) {
  test(`${database}: carries a request received by two nodes out once`, async (t) => {
    const { exchange, ada, assistant } = await prepare(t, { database })
    const other = new Exchange(exchange.store, assistant)
    t.after(() => other.close())
    other.telephony.register(ada.accountId, ada.deviceId)
    const order = await orderCall(exchange, ada, { callee: outsideNumber })
    other.callRouter.drain()
    await orderCall(other, ada, { callee: outsideNumber }, order)
    assert.deepEqual([exchange.telephony.called.length, other.telephony.called.length], [1, 0])
    assert.equal((await exchange.money(ada)).reserved, 190, 'what the first one has is left alone')
    await exchange.seconds(60)
    await orderCall(other, ada, { callee: outsideNumber }, order)
    assert.equal(other.telephony.called.length, 0, 'not when it is over either')
  })
}

test('plays the cause to the caller when the callee is unreachable, and keeps it whatever follows', async (t) => {
  const { exchange, ada } = await prepare(t)
  await orderCall(exchange, ada, { callee: outsideNumber })
  const first = await calling(exchange)
  first.callee.refuses('busy', 486)
  await exchange.rest()
  assert.deepEqual(first.caller.log, ['play ringback', 'play busy'])
  await exchange.seconds(4)
  assert.deepEqual(first.caller.log.at(-1), 'hangUp busy')

  await exchange.seconds(1)
  await orderCall(exchange, ada, { callee: outsideNumber })
  const second = await calling(exchange)
  await exchange.seconds(60)
  assert.deepEqual(second.callee.log, ['hangUp normal'])
  assert.deepEqual(second.caller.log.at(-1), 'play de/not-available')
  await exchange.seconds(2)
  assert.deepEqual(second.caller.log.at(-1), 'hangUp no_answer')

  for (const meanwhile of ['hangs up', 'delete', 'shutdown']) {
    await exchange.seconds(1)
    const order = await orderCall(exchange, ada, { callee: outsideNumber })
    const { caller, callee } = await calling(exchange)
    callee.refuses('busy', 486)
    await exchange.rest()
    if (meanwhile === 'hangs up') caller.hangsUp()
    if (meanwhile === 'delete') await exchange.calls.get(adminOf(ada), order).hangUp()
    if (meanwhile === 'shutdown') await exchange.callRouter.hangUpAll()
    await exchange.rest()
    assert.ok(caller.over)
    assert.equal((await exchange.history(ada))[0]?.detail.callStatus, 'BUSY', 'the callee was busy, whatever came then')
  }
})

test('ends the call once and leaves no leg when the callee answers as the caller hangs up', async (t) => {
  const { exchange, ada } = await prepare(t)
  for (const first of ['caller', 'callee'] as const) {
    await orderCall(exchange, ada, { callee: outsideNumber })
    const { caller, callee } = await calling(exchange)
    if (first === 'caller') caller.hangsUp()
    callee.answers()
    if (first === 'callee') caller.hangsUp()
    await exchange.seconds(1)
    assert.deepEqual([exchange.lastEnd?.reason, callee.over?.by], ['caller_hangup', 'us'])
    assert.deepEqual((await exchange.money(ada)).reserved, 0)
  }
  assert.equal(exchange.changes.filter(([what]) => what === 'ended').length, 2)
})

test('rings only the registered phones of a line, including those with DND', async (t) => {
  const { exchange, ada } = await prepare(t)
  const { accountId, userId, line, deviceId } = ada
  const { second } = await exchange.store.write(async (tables) => {
    await exchange.addDevice(tables, accountId, userId, { type: 'EXTERNAL', number: outsideNumber })
    await tables.devices.update(accountId, deviceId, { dnd: true })
    return { second: await exchange.addDevice(tables, accountId, userId) }
  })
  const bob = await exchange.newCustomer()
  await orderCall(exchange, ada, { caller: line, callee: bob.number })
  assert.deepEqual(
    exchange.ringing.map(({ target }) => target?.kind === 'device' && target.deviceId),
    [deviceId, second],
  )
  const [quiet, caller] = exchange.ringing
  caller?.answers()
  await exchange.rest()
  assert.deepEqual(quiet?.log, ['hangUp answered_elsewhere'])
  const { phone } = exchange
  assert.deepEqual(phone.target, { kind: 'device', accountId: bob.accountId, deviceId: bob.deviceId })
  assert.equal(phone.dial?.caller.number, ada.number)
  phone.answers()
  await exchange.seconds(120)
  phone.hangsUp()
  await exchange.rest()
  const [hers, his] = [await exchange.entry(ada), await exchange.entry(bob)]
  assert.deepEqual([hers.direction, hers.detail.duration, hers.connectionIds], ['OUTGOING', 120, [line, second]])
  assert.deepEqual([his.direction, his.status, his.source, his.detail.duration], ['INCOMING', 'PICKUP', ada.number, 120])
  for (const one of [ada, bob]) assert.deepEqual(await exchange.money(one), { spent: 0, reserved: 0 })
})

test('starts no call and reserves no funds without a reachable phone, without a trunk or while draining', async (t) => {
  const { exchange, ada } = await prepare(t)
  const bob = await exchange.newCustomer()
  exchange.telephony.register(bob.accountId, bob.deviceId, 0)
  const cases: [string, () => Promise<unknown>][] = [
    ['caller_not_reachable', () => orderCall(exchange, bob, { callee: outsideNumber })],
    ['caller_not_reachable', () => orderCall(exchange, bob, { caller: bob.line, callee: ada.number })],
    ['caller_not_reachable', () => orderCall(exchange, ada, { caller: bob.number, callee: outsideNumber, deviceId: ada.deviceId })],
  ]
  const trunks = await exchange.store.read.trunks.list()
  for (const [code, order] of cases) await assert.rejects(order(), { code, status: 409 })
  await exchange.store.write(async (tables) => {
    for (const { id } of trunks) await tables.trunks.remove(id)
  })
  await exchange.seconds(2)
  await assert.rejects(orderCall(exchange, ada, { callee: outsideNumber }), withCode('line_unavailable'))
  await assert.rejects(orderCall(exchange, ada, { caller: outsideNumber, callee: ada.number, deviceId: ada.deviceId }), {
    code: 'line_unavailable',
  })
  await exchange.seconds(2)
  await assert.rejects(orderCall(exchange, ada, { callee: '112' }), { code: 'line_unavailable' })
  exchange.callRouter.drain()
  await assert.rejects(orderCall(exchange, ada, { callee: bob.number }), { code: 'unavailable', status: 503 })
  assert.deepEqual([await exchange.money(ada), exchange.telephony.called, await exchange.history(ada)], [{ spent: 0, reserved: 0 }, [], []])
})

test('rejects orders while the machine is overloaded, except emergency calls, and reserves no funds', async (t) => {
  const { exchange, ada } = await prepare(t)
  const bob = await exchange.newCustomer()
  exchange.overloadedSeconds = 4
  await assert.rejects(orderCall(exchange, ada, { callee: outsideNumber }), { code: 'unavailable', status: 503, retryAfter: 4 })
  assert.deepEqual([await exchange.money(ada), exchange.telephony.called, await exchange.history(ada)], [{ spent: 0, reserved: 0 }, [], []])
  await orderCall(exchange, ada, { callee: '112' })
  exchange.overloadedSeconds = undefined
  await exchange.seconds(2)
  await orderCall(exchange, bob, { callee: ada.number })
})

test("calls the emergency services while draining, without funds, with the phone's callback number", async (t) => {
  const { exchange } = await prepare(t)
  const poor = await exchange.newCustomer({ money: 0 })
  exchange.callRouter.drain()
  await orderCall(exchange, poor, { callee: '+49112', caller: poor.line })
  assert.equal(exchange.phone.dial?.caller.number, '112')
  const { callee } = await calling(exchange)
  assert.deepEqual(callee.target?.kind === 'trunk' && [callee.target.number, callee.target.emergency], ['112', true])
  assert.deepEqual(callee.dial?.caller, { number: poor.number, name: '', withheld: false })
  callee.answers()
  await exchange.seconds(200)
  callee.hangsUp()
  await exchange.rest()
  assert.equal((await exchange.entry(poor)).detail.duration, 200)
  assert.equal((await exchange.store.read.balances.find(poor.accountId))?.amount, 0)
})

test('connects to an assistant or a voicemail as callee', async (t) => {
  const scene = await prepare(t)
  const { exchange, assistant, ada } = scene
  const shop = await exchange.newCustomer()
  await addFlow(exchange, shop)
  await orderCall(exchange, ada, { callee: shop.number })
  const caller = exchange.phone
  caller.answers()
  await exchange.rest()
  assert.deepEqual([assistant.call.direction, assistant.call.from, assistant.call.to], ['inbound', ada.number, shop.number])
  assert.deepEqual(caller.playing, [], 'the ringing is over')
  assert.equal(listed(scene).length, 1)
  assistant.sessions[0]?.leave()
  await exchange.rest()
  assert.equal(exchange.lastEnd?.reason, 'assistant_hangup')

  const bob = await exchange.newCustomer()
  await exchange.store.write((tables) =>
    tables.phonelines.replaceForwardings(bob.accountId, bob.line, [{ destination: 'voicemail', timeout: 5, active: true }]),
  )
  await orderCall(exchange, ada, { callee: bob.number })
  const second = await calling(exchange)
  await exchange.seconds(5)
  assert.deepEqual(second.caller.log.slice(0, 2), ['play ringback', 'play de/voicemail-greeting'])
  await exchange.seconds(20)
  second.caller.hangsUp()
  await exchange.rest()
  assert.deepEqual([(await exchange.entry(bob)).type, (await exchange.history(ada))[0]?.direction], ['VOICEMAIL', 'OUTGOING'])
})

test('calls another account’s phone as the caller like any other, and lets the originating account control the call', async (t) => {
  const scene = await prepare(t)
  const { exchange, ada } = scene
  const [bob, carol] = [await exchange.newCustomer(), await exchange.newCustomer()]
  const order = await orderCall(exchange, ada, { caller: bob.number, callee: carol.number, deviceId: ada.deviceId })
  assert.equal(exchange.phone.dial?.caller.number, ada.number, 'not that of the callee: it would be somebody else’s')
  const { caller, callee } = await calling(exchange)
  assert.equal(callee.dial?.caller.number, ada.number)
  callee.answers()
  await exchange.seconds(5)
  assert.deepEqual([caller.hears, listed(scene)], [[callee], [order]])
  const participants = exchange.calls.get(adminOf(carol), order).status().participants
  assert.deepEqual(
    participants.map(({ phoneNumber, owner }) => [phoneNumber, owner]),
    [
      [ada.number, false],
      [carol.number, true],
    ],
  )
  await exchange.calls.get(adminOf(ada), order).hangUp()
  await exchange.rest()
  const entries = await Promise.all([ada, bob, carol].map((one) => exchange.entry(one)))
  assert.deepEqual(
    entries.map(({ direction, source, target, detail }) => [direction, source, target, detail.duration]),
    [
      ['OUTGOING', ada.number, carol.number, 5],
      ['INCOMING', ada.number, bob.number, 5],
      ['INCOMING', ada.number, carol.number, 5],
    ],
  )
})

test('ends calls whose caller has just answered at shutdown', async (t) => {
  const { exchange, ada } = await prepare(t)
  await orderCall(exchange, ada, { callee: outsideNumber })
  await orderCall(exchange, ada, { callee: outsideNumber })
  const [first, second] = exchange.ringing
  first?.answers()
  second?.answers()
  const closing = exchange.callRouter.hangUpAll()
  await exchange.rest()
  await closing
  assert.deepEqual([first?.over?.by, second?.over?.by, exchange.telephony.alive], ['us', 'us', []])
  assert.deepEqual(await exchange.money(ada), { spent: 0, reserved: 0 })
})

test('asks the webhook when the caller has answered, plays its sound instead of ringback, and dials the number it names', async (t) => {
  const guide = new ScriptedGuide()
  const exchange = await openExchange(t, { guide })
  await exchange.addTrunk()
  const ada = await exchange.newCustomer()
  const callId = await orderCall(exchange, ada, { callee: outsideNumber })
  guide.says(ada, saying(gather({ play: 'https://c.example/menu.wav' })), saying(dial(['+4915112345678'])))
  assert.equal(guide.asked.length, 0)
  const caller = exchange.phone
  caller.answers()
  await exchange.rest()
  const [asked] = guide.asked
  assert.deepEqual(
    [asked?.callId, asked?.direction, asked?.from, asked?.to, asked?.lines],
    [callId, 'out', ada.number, outsideNumber, [ada.line]],
  )
  assert.deepEqual(
    caller.playing.map(({ sound }) => 'wav' in sound),
    [true],
  )
  caller.presses('1')
  await exchange.rest()
  const { phone } = exchange
  assert.equal(phone.target?.kind === 'trunk' && phone.target.number, '+4915112345678')
  assert.deepEqual(await exchange.money(ada), { spent: 0, reserved: 190 + 990 }, 'another number has another price')
  phone.rings()
  assert.equal(caller.log.at(-1), 'play ringback')
  phone.answers()
  await exchange.seconds(70)
  caller.hangsUp()
  await exchange.rest()
  assert.deepEqual(await exchange.money(ada), { spent: 2 * 990, reserved: 0 })
  assert.deepEqual(await events(exchange), ['answer', 'hangup normalClearing'])
})
