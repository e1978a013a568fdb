import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { databases, type Database } from '#test/store/databases.ts'
import { addFlow, adminOf, callOut } from '#test/routing/flow-calls.ts'
import { ScriptedAssistant } from '#test/routing/scripted-assistant.ts'
import { openExchange, pay, outsideNumber, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'
import type { ScriptedLeg } from '#test/ports/scripted-leg.ts'

interface Scene {
  exchange: Exchange
  assistant: ScriptedAssistant
  ada: Customer
}

/** A customer whose assistant can call out, and a trunk. */
const prepare = async (
  t: TestContext,
  { database = 'sqlite', trunk = true, money = 500_000 }: { database?: Database; trunk?: boolean; money?: number } = {},
): Promise<Scene> => {
  const assistant = new ScriptedAssistant()
  const exchange = await openExchange(t, { database, flows: assistant })
  if (trunk) await exchange.addTrunk()
  const ada = await exchange.newCustomer({ money })
  await addFlow(exchange, ada)
  return { exchange, assistant, ada }
}

for (const database of databases) {
  test(`${database}: originates an assistant's call with its number, charges the reservation, and starts the session at the answer`, async (t) => {
    const { exchange, assistant, ada } = await prepare(t, { database })
    const callId = await callOut(exchange, ada, outsideNumber)
    const { phone } = exchange
    assert.equal(phone.target?.kind === 'trunk' && phone.target.number, outsideNumber)
    assert.deepEqual(phone.dial?.caller, { number: ada.number, name: '', withheld: false })
    assert.deepEqual(await exchange.money(ada), { spent: 0, reserved: 190 }, 'reserved once')
    phone.rings()
    await exchange.seconds(10)
    assert.deepEqual([assistant.sessions.length, exchange.calls.list(adminOf(ada)).length], [0, 0])
    phone.answers()
    await exchange.rest()
    const { call } = assistant
    const { accountId, number } = ada
    assert.deepEqual(
      [call.callId, call.accountId, call.direction, call.from, call.to, call.language],
      [callId, accountId, 'outbound', number, outsideNumber, 'de'],
    )
    assert.deepEqual(
      exchange.calls.list(adminOf(ada)).map((one) => [one.callId, one.status().participants.map(({ phoneNumber }) => phoneNumber)]),
      [[callId, [outsideNumber, number]]],
    )
    await exchange.seconds(61.5)
    assert.deepEqual(await exchange.money(ada), { spent: 0, reserved: 380 }, 'the meter asks for more')
    phone.hangsUp()
    await exchange.rest()
    assert.equal((await call.over).reason, 'callee_hangup')
    assert.deepEqual(await exchange.money(ada), { spent: 380, reserved: 0 })
    const entry = await exchange.entry(ada)
    assert.deepEqual([entry.sessionId, entry.direction, entry.status, entry.detail.duration], [callId, 'OUTGOING', 'PICKUP', 61])
    assert.deepEqual([entry.source, entry.sourceAlias, entry.target, entry.userId], [number, 'Reception', outsideNumber, ada.userId])
    assert.deepEqual(entry.connectionIds, [`flow-${accountId}`, ada.deviceId])
    const booked = await exchange.store.read.balances.listEntries(accountId, { limit: 10 })
    assert.equal(booked.filter(({ sessionId }) => sessionId === callId).length, 1)
  })

  test(`${database}: writes a history entry without session or charge for an unanswered call, and does not repeat the request`, async (t) => {
    const { exchange, assistant, ada } = await prepare(t, { database })
    const ends: ((leg: ScriptedLeg) => unknown)[] = [
      (leg) => leg.refuses('busy', 486),
      (leg) => leg.refuses('rejected', 603),
      () => exchange.seconds(60),
      (leg) => leg.refuses('not_found', 404),
      () => exchange.calls.get(adminOf(ada), exchange.changes.at(-1)?.[1].callId ?? '').hangUp(),
    ]
    const reasons: unknown[] = []
    const orders: string[] = []
    for (const end of ends) {
      orders.push(await callOut(exchange, ada, outsideNumber))
      await callOut(exchange, ada, outsideNumber, orders.at(-1))
      const { phone } = exchange
      await end(phone)
      await exchange.seconds(2)
      assert.ok(phone.over)
      reasons.push(exchange.lastEnd?.reason)
    }
    assert.deepEqual(reasons, ['busy', 'rejected', 'no_answer', 'failed', 'api_hangup'])
    for (const order of orders) await callOut(exchange, ada, outsideNumber, order)
    assert.equal(exchange.telephony.called.length, ends.length)
    assert.equal(assistant.sessions.length, 0)
    assert.deepEqual(await exchange.money(ada), { spent: 0, reserved: 0 })
    assert.deepEqual(
      (await exchange.history(ada)).map(({ direction, detail }) => `${direction} ${detail.callStatus}`).toReversed(),
      ['BUSY', 'REJECTED', 'MISSED', 'FAILURE', 'MISSED'].map((status) => `MISSED_OUTGOING ${status}`),
    )
  })
}

test('calls a number in service here without trunk and charge, and records it in both accounts', async (t) => {
  const { exchange, assistant, ada } = await prepare(t, { trunk: false, money: 0 })
  const bob = await exchange.newCustomer()
  const callId = await callOut(exchange, ada, bob.number)
  const { phone } = exchange
  assert.deepEqual(phone.target, { kind: 'device', accountId: bob.accountId, deviceId: bob.deviceId })
  assert.deepEqual(phone.dial?.caller, { number: ada.number, name: '', withheld: false })
  phone.answers()
  await exchange.seconds(600)
  assert.equal(assistant.call.callId, callId)
  assistant.sessions[0]?.leave()
  await exchange.rest()
  assert.deepEqual(phone.log, ['hangUp normal'])
  assert.deepEqual(exchange.lastEnd, { by: 'assistant', reason: 'assistant_hangup', cause: 'normal' })
  const [hers, his] = [await exchange.entry(ada), await exchange.entry(bob)]
  assert.deepEqual([hers.direction, hers.status, hers.target, hers.detail.duration], ['OUTGOING', 'PICKUP', bob.number, 600])
  assert.deepEqual([his.direction, his.status, his.source], ['INCOMING', 'PICKUP', ada.number])
  assert.equal((await exchange.store.read.balances.findReservation(ada.accountId, callId))?.state, 'COMMITTED')
})

test('charges forwarding to the forwarding account, and does not talk to voicemails or other assistants', async (t) => {
  const { exchange, assistant, ada } = await prepare(t)
  const bob = await exchange.newCustomer()
  await exchange.store.write((tables) =>
    tables.phonelines.replaceForwardings(bob.accountId, bob.line, [{ destination: outsideNumber, timeout: 5, active: true }]),
  )
  await callOut(exchange, ada, bob.number)
  await exchange.seconds(6)
  exchange.phone.answers()
  await exchange.seconds(10)
  exchange.telephony.alive[0]?.hangsUp()
  await exchange.rest()
  assert.deepEqual(
    [await exchange.money(ada), await exchange.money(bob)],
    [
      { spent: 0, reserved: 0 },
      { spent: 190, reserved: 0 },
    ],
  )
  assert.equal(assistant.sessions.length, 1)

  await exchange.store.write(async (tables) => {
    await tables.phonelines.replaceForwardings(bob.accountId, bob.line, [{ destination: 'voicemail', timeout: 5, active: true }])
  })
  await callOut(exchange, ada, bob.number)
  await exchange.seconds(60)
  assert.equal(exchange.lastEnd?.reason, 'no_answer')
  await callOut(exchange, ada, ada.number)
  assert.equal(exchange.lastEnd?.reason, 'failed', 'its own number leads to itself')
  assert.equal(assistant.sessions.length, 1)
  assert.deepEqual(await exchange.money(ada), { spent: 0, reserved: 0 })
})

test('starts no call and charges no account without a trunk or while draining', async (t) => {
  const { exchange, ada } = await prepare(t, { trunk: false })
  await assert.rejects(callOut(exchange, ada, outsideNumber), { code: 'line_unavailable' })
  assert.deepEqual(await exchange.money(ada), { spent: 0, reserved: 0 })
  await exchange.addTrunk()
  exchange.callRouter.drain()
  await assert.rejects(callOut(exchange, ada, outsideNumber, 'second'), { code: 'rate_limited' })
  await exchange.seconds(2)
  await assert.rejects(callOut(exchange, ada, outsideNumber, 'third'), { code: 'unavailable', status: 503 })
  assert.deepEqual(await exchange.money(ada), { spent: 0, reserved: 0 })
  assert.deepEqual([exchange.telephony.called, await exchange.history(ada)], [[], []])
})

test('ends a call when its funds run out, and limits running calls to ten', async (t) => {
  const { exchange, assistant, ada } = await prepare(t, { money: 200 })
  await callOut(exchange, ada, outsideNumber)
  const { phone } = exchange
  phone.answers()
  await exchange.seconds(61)
  assert.equal((await assistant.call.over).reason, 'insufficient_funds')
  assert.deepEqual(phone.log, ['announce de/insufficient-funds', 'hangUp payment_required'])
  assert.equal((await exchange.store.read.balances.find(ada.accountId))?.amount, 10)

  await exchange.store.write((tables) => pay(tables, exchange.clock, ada.accountId, 100_000))
  for (let number = 0; number < 10; number++) {
    await exchange.seconds(1)
    await callOut(exchange, ada, outsideNumber)
  }
  await exchange.seconds(1)
  await assert.rejects(callOut(exchange, ada, outsideNumber), { code: 'rate_limited' })
  exchange.ringing[0]?.refuses('busy', 486)
  await exchange.seconds(1)
  await callOut(exchange, ada, outsideNumber)
})

test('fails over to the next trunk with a single reservation', async (t) => {
  const { exchange, ada } = await prepare(t)
  const second = await exchange.addTrunk({ priority: 200 })
  await callOut(exchange, ada, outsideNumber)
  exchange.phone.dies()
  await exchange.rest()
  assert.equal(exchange.phone.target?.kind === 'trunk' && exchange.phone.target.trunkId, second)
  assert.deepEqual(await exchange.money(ada), { spent: 0, reserved: 190 })
})

test("records both sides of an assistant's call once, and stores the recording in its entry", async (t) => {
  const { exchange, assistant, ada } = await prepare(t)
  await callOut(exchange, ada, outsideNumber)
  const { phone } = exchange
  phone.answers()
  await exchange.rest()
  await assistant.call.record(() => Promise.resolve(true))
  await assistant.call.record(() => Promise.resolve(true))
  const recorded = phone.bridge?.left
  assert.deepEqual([...(recorded?.values() ?? [])], [[]], 'the person is right')
  assert.equal(exchange.calls.list(adminOf(ada))[0]?.status().recording, true)
  await exchange.seconds(5)
  assistant.call.hangUp('assistant_hangup')
  await exchange.rest()
  assert.deepEqual(
    (await exchange.entry(ada)).detail.recordings?.map(({ id }) => id),
    [...(recorded?.keys() ?? [])],
  )
  await assistant.call.record(() => Promise.resolve(true))
  assert.equal(recorded?.size, 1)
})
