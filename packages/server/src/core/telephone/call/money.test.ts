import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bothDatabases, databases } from '#test/store/databases.ts'
import { orderCall } from '#test/routing/scripted-order.ts'
import { openExchange, pay, outsideNumber, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { moneyJobs } from '#core/money/jobs.ts'
import { entriesAfter } from '#core/telephone/timeline/pieces.ts'
import { explainCall } from '#core/telephone/timeline/explain/explain-call.ts'
import { defaultLimits } from '#core/money/limits.ts'
import type { ScriptedLeg } from '#test/ports/scripted-leg.ts'

/** 0.019 per minute, billing increments 60/60. */
const price = 190

const talking = async (exchange: Exchange, customer: Customer): Promise<{ caller: ScriptedLeg; far: ScriptedLeg }> => {
  const caller = await exchange.callFrom(customer, outsideNumber)
  const far = exchange.phone
  far.answers()
  await exchange.rest()
  return { caller, far }
}

const balance = async ({ store }: Exchange, { accountId }: Customer) => {
  const found = await store.read.balances.find(accountId)
  return [found?.amount, found?.reserved]
}

const caps = [
  ['one call', 'perCall', 'call_limit_reached'],
  ['a day', 'ownPerDay', 'daily_limit_reached'],
] as const

const explainedEnd = async (exchange: Exchange, ada: Customer): Promise<string> => {
  await exchange.timelines.flush()
  const { sessionId } = await exchange.entry(ada)
  const pieces = await exchange.store.read.timelines.listPieces(ada.accountId, sessionId, 0, 100)
  const entries = pieces.flatMap((piece) => [...entriesAfter(piece, 0)])
  return explainCall({ callId: sessionId, entries, running: false }, 'en_US')
    .findings.map(({ text }) => text)
    .join()
}

for (const [name, limit, cause] of caps)
  test(`ends a call at the limit for ${name} with its own prompt, whatever the balance, but never an emergency call`, async (t) => {
    const exchange = await openExchange(t, { keepsTimelines: true })
    await exchange.addTrunk()
    const ada = await exchange.newCustomer({ money: 100 * price })
    await exchange.store.write((tables) => tables.limits.set(ada.accountId, { [limit]: 2 * price + 100 }))
    const { caller, far } = await talking(exchange, ada)
    await exchange.seconds(113.9)
    assert.deepEqual(caller.playing, [])
    await exchange.seconds(0.1)
    assert.deepEqual([caller.log.at(-1), far.playing], ['announce de/spending-limit', []])
    await exchange.seconds(2)
    assert.deepEqual(exchange.lastEnd, { by: 'service', reason: 'insufficient_funds', cause })
    assert.deepEqual([caller.log.at(-1), far.log.at(-1)], [`hangUp ${cause}`, `hangUp ${cause}`])
    assert.deepEqual(await balance(exchange, ada), [98 * price, 0], 'two minutes are paid, the rest is still there')
    assert.match(await explainedEnd(exchange, ada), cause === 'call_limit_reached' ? /limit for a single call/ : /daily spending limit/)
    await exchange.store.write((tables) => tables.limits.set(ada.accountId, { [limit]: 1 }))
    assert.deepEqual((await exchange.callFrom(ada, outsideNumber)).log.at(-1), `hangUp ${cause}`)
    const rescued = await exchange.callFrom(ada, '112')
    exchange.phone.answers()
    await exchange.seconds(600)
    assert.ok(!rescued.log.some((line) => line.startsWith('hangUp')), rescued.log.join(', '))
  })

test('ends a call at the leash of its token and does not report an empty balance', async (t) => {
  const exchange = await openExchange(t, { keepsTimelines: true })
  await exchange.addTrunk()
  const ada = await exchange.newCustomer({ money: 100 * price })
  const leash = { userId: ada.userId, id: 'test', holder: 'token', rules: { maxSpend: 2 * price + 100 } } as const
  await exchange.store.write((tables) => tables.leashes.set(ada.accountId, leash))
  await orderCall(exchange, ada, { callee: outsideNumber })
  const caller = exchange.phone
  caller.answers()
  await exchange.rest()
  exchange.phone.answers()
  await exchange.seconds(114)
  assert.equal(caller.log.at(-1), 'announce de/spending-limit')
  await exchange.seconds(2)
  assert.deepEqual(exchange.lastEnd, { by: 'service', reason: 'insufficient_funds', cause: 'leash_spent' })
  assert.match(await explainedEnd(exchange, ada), /limit of its leash/)
  await assert.rejects(orderCall(exchange, ada, { callee: outsideNumber }), { code: 'leash_spent' })
})

for (const database of databases) {
  test(`${database}: announces the end and hangs up when funds for two minutes are used up`, async (t) => {
    const exchange = await openExchange(t, { database })
    await exchange.addTrunk()
    const ada = await exchange.newCustomer({ money: 2 * price + 100 })
    const { caller, far } = await talking(exchange, ada)
    assert.deepEqual(await balance(exchange, ada), [2 * price + 100, price])
    await exchange.seconds(50)
    assert.deepEqual(await balance(exchange, ada), [2 * price + 100, 2 * price], 'asked for ahead')
    await exchange.seconds(63.9)
    assert.deepEqual(caller.playing, [])
    await exchange.seconds(0.1)
    assert.deepEqual(caller.log.at(-1), 'announce de/insufficient-funds')
    assert.deepEqual(far.playing, [], 'only who pays hears it')
    await exchange.seconds(2)
    assert.equal(exchange.lastEnd?.reason, 'insufficient_funds')
    assert.deepEqual([caller.log.at(-1), far.log.at(-1)], ['hangUp payment_required', 'hangUp payment_required'])
    assert.deepEqual(await balance(exchange, ada), [100, 0])
    assert.equal((await exchange.entry(ada)).detail.duration, 116)
    assert.equal((await exchange.store.read.balances.listEntries(ada.accountId, { limit: 9 })).length, 2, 'paid in once, taken once')
  })
}

for (const database of bothDatabases) {
  test(`${database}: connects only as many of twenty concurrent calls as the balance covers`, async (t) => {
    const exchange = await openExchange(t, { database })
    await exchange.addTrunk()
    const ada = await exchange.newCustomer({ money: 7 * price + 5 })
    const legs = await Promise.all(
      Array.from({ length: 20 }, async () =>
        exchange.telephony.arrives({ kind: 'device', accountId: ada.accountId, deviceId: ada.deviceId }, outsideNumber),
      ),
    )
    await exchange.rest()
    assert.equal(exchange.ringing.length, 7)
    assert.equal(legs.filter(({ log }) => log.includes('hangUp payment_required')).length, 13)
    for (const leg of exchange.ringing) leg.answers()
    await exchange.seconds(30)
    for (const leg of legs) leg.hangsUp()
    await exchange.rest()
    assert.deepEqual(await balance(exchange, ada), [5, 0])
    assert.equal((await exchange.history(ada)).length, 20)
  })

  test(`${database}: settles a call once when all parties end it concurrently`, async (t) => {
    const exchange = await openExchange(t, { database })
    await exchange.addTrunk()
    const ada = await exchange.newCustomer()
    const { caller, far } = await talking(exchange, ada)
    const [call] = exchange.calls.list({ accountId: ada.accountId, userId: ada.userId, admin: true } as UserCaller)
    await exchange.seconds(10)
    caller.hangsUp()
    far.dies()
    const hangingUp = call?.hangUp()
    const closing = exchange.callRouter.hangUpAll()
    await exchange.rest()
    await Promise.all([hangingUp, closing])
    assert.equal(exchange.lastEnd?.reason, 'api_hangup')
    assert.deepEqual(await exchange.money(ada), { spent: price, reserved: 0 })
    await exchange.entry(ada)
    assert.equal(exchange.changes.filter(([what]) => what === 'ended').length, 1)
  })
}

test('continues the call when a top-up arrives in time', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const ada = await exchange.newCustomer({ money: price })
  const { caller } = await talking(exchange, ada)
  await exchange.seconds(52)
  await exchange.store.write((tables) => pay(tables, exchange.clock, ada.accountId, 5 * price))
  await exchange.seconds(68)
  assert.equal(caller.over, undefined)
  caller.hangsUp()
  await exchange.rest()
  assert.deepEqual(await balance(exchange, ada), [4 * price, 0])
})

test('keeps the reservation of a long call alive and ends every call after four hours', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const ada = await exchange.newCustomer()
  const free = await exchange.callFrom(ada, '0800 1234567')
  exchange.phone.answers()
  const { caller } = await talking(exchange, ada)
  const expire = moneyJobs(exchange.store, exchange.clock)['reservation.expire'] ?? assert.fail()
  const sessions = new Set(exchange.changes.map(([, { callId }]) => callId))
  assert.equal(sessions.size, 2)
  for (let quarter = 0; quarter < 15; quarter++) {
    await exchange.seconds(15 * 60)
    for (const sessionId of sessions) {
      await expire({ accountId: ada.accountId, sessionId }, { id: '', kind: '', payload: {}, attempts: 1 })
      assert.equal((await exchange.store.read.balances.findReservation(ada.accountId, sessionId))?.state, 'OPEN')
    }
  }
  assert.equal(caller.over, undefined)
  await exchange.seconds(15 * 60)
  assert.equal(exchange.lastEnd?.reason, 'max_duration')
  for (const leg of [caller, free]) assert.equal(leg.log.at(-1), 'hangUp normal')
  assert.ok(!caller.log.some((what) => what.includes('insufficient')))
  assert.deepEqual(await exchange.money(ada), { spent: 240 * price, reserved: 0 })
})

test('retries the reservation while the database is unavailable, and ends the call when paid time runs out', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const ada = await exchange.newCustomer()
  const { caller } = await talking(exchange, ada)
  const write = exchange.store.write.bind(exchange.store)
  exchange.store.write = () => Promise.reject(new Error('the database is away'))
  await exchange.seconds(55)
  exchange.store.write = write
  await exchange.seconds(50)
  assert.equal(caller.over, undefined)
  exchange.store.write = () => Promise.reject(new Error('the database is away'))
  await exchange.seconds(15)
  assert.equal(exchange.lastEnd?.reason ?? 'not told yet', 'not told yet')
  assert.deepEqual(caller.log.at(-1), 'hangUp failed')
  exchange.store.write = write
  await exchange.seconds(60)
  assert.equal(exchange.lastEnd?.reason, 'service_failure')
  assert.deepEqual(await exchange.money(ada), { spent: 2 * price, reserved: 0 })
  await exchange.entry(ada)
})

test('does not gain paid time by a transfer in the last seconds', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const ada = await exchange.newCustomer({ money: price })
  const { caller, far } = await talking(exchange, ada)
  await exchange.seconds(55)
  assert.equal(caller.log.at(-1), 'announce de/insufficient-funds')
  const friend = await exchange.callIn(ada.number)
  const { phone } = exchange
  phone.answers()
  await exchange.rest()
  assert.deepEqual(phone.asksTransfer({ leg: caller }).told, ['done'])
  await exchange.rest()
  assert.deepEqual(far.hears, [friend])
  await exchange.seconds(5)
  assert.ok(far.over && friend.over)
  assert.equal(exchange.lastEnd?.reason, 'insufficient_funds')
  assert.deepEqual(await balance(exchange, ada), [0, 0])
})

for (const database of databases)
  test(`${database}: limits concurrent paid calls of an account, but not emergency calls`, async (t) => {
    const exchange = await openExchange(t, { database })
    await exchange.addTrunk()
    const ada = await exchange.newCustomer()
    const { accountId, deviceId } = ada
    const legs = Array.from({ length: defaultLimits.paidCalls + 3 }, () =>
      exchange.telephony.arrives({ kind: 'device', accountId, deviceId }, outsideNumber),
    )
    await exchange.rest()
    assert.equal(exchange.ringing.length, defaultLimits.paidCalls)
    assert.equal(legs.filter(({ log }) => log.includes('hangUp overloaded')).length, 3)
    await exchange.callFrom(ada, '112')
    assert.equal(exchange.ringing.length, defaultLimits.paidCalls + 1)
    legs.find(({ over }) => !over)?.hangsUp()
    await exchange.rest()
    assert.equal((await exchange.callFrom(ada, outsideNumber)).over, undefined, 'one has ended')
  })

test('ends the call when paid time is over, not earlier, when the prompt cannot be played', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const ada = await exchange.newCustomer({ money: price })
  const { caller } = await talking(exchange, ada)
  caller.announce = () => {
    throw new Error('no sound')
  }
  await exchange.seconds(59.9)
  assert.equal(caller.over, undefined)
  await exchange.seconds(0.1)
  assert.equal(exchange.lastEnd?.reason, 'insufficient_funds')
  assert.equal(exchange.failures.length, 1)
})
