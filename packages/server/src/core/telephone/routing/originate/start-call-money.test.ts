import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases } from '#test/store/databases.ts'
import { adminOf } from '#test/routing/flow-calls.ts'
import { openExchange, outsideNumber, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'
import { recoverParts } from '#test/routing/lost-calls.ts'
import { orderCall } from '#test/routing/scripted-order.ts'
import type { ScriptedLeg } from '#test/ports/scripted-leg.ts'
import { defaultLimits } from '#core/money/limits.ts'
import { recoverAll } from '#core/telephone/call/takeover/end-lost-call.ts'
import { readRate, setRate } from '#core/money/set-rate.ts'

/** Prices per minute started. */
const [landline, mobile] = [190, 990]
const cellphone = '+4915112345678'

const left = async ({ store }: Exchange, { accountId }: Customer) => {
  const balance = await store.read.balances.find(accountId)
  return [balance?.amount, balance?.reserved]
}

/** Charges for calls, one amount per booking. */
const booked = async ({ store }: Exchange, { accountId }: Customer) =>
  (await store.read.balances.listEntries(accountId, { limit: 50 }))
    .filter(({ sessionId }) => sessionId !== undefined)
    .map(({ amount }) => -amount)

/** Originates a call to an external caller first, over a trunk; returns that phone, which has answered, and the one that rings now. */
const bothOutside = async (exchange: Exchange, ada: Customer): Promise<{ callId: string; caller: ScriptedLeg; callee: ScriptedLeg }> => {
  const callId = await orderCall(exchange, ada, { caller: cellphone, callee: outsideNumber, deviceId: ada.deviceId })
  const caller = exchange.phone
  assert.equal(caller.target?.kind === 'trunk' && caller.target.number, cellphone)
  assert.equal(caller.dial?.caller.number, ada.number)
  caller.answers()
  await exchange.rest()
  return { callId, caller, callee: exchange.phone }
}

for (const database of databases) {
  test(`${database}: reserves two external legs together and charges each for its own time, once`, async (t) => {
    const exchange = await openExchange(t, { database })
    await exchange.addTrunk()
    const ada = await exchange.newCustomer({ money: 10_000 })
    const { callee } = await bothOutside(exchange, ada)
    assert.deepEqual(await left(exchange, ada), [10_000, mobile + landline])
    await exchange.seconds(30)
    callee.answers()
    await exchange.seconds(25)
    assert.deepEqual(await left(exchange, ada), [10_000, 2 * mobile + 2 * landline], 'more is asked for, for both')
    await exchange.seconds(25)
    callee.hangsUp()
    await exchange.rest()
    assert.deepEqual(await left(exchange, ada), [10_000 - 2 * mobile - landline, 0], '80 seconds and 50 seconds')
    assert.deepEqual(await booked(exchange, ada), [2 * mobile + landline])
    assert.equal((await exchange.entry(ada)).detail.duration, 50)
  })

  test(`${database}: charges the caller who answered but not the callee who did not`, async (t) => {
    const exchange = await openExchange(t, { database })
    await exchange.addTrunk()
    const ada = await exchange.newCustomer({ money: 10_000 })
    const { caller, callee } = await bothOutside(exchange, ada)
    await exchange.seconds(55)
    assert.deepEqual(await left(exchange, ada), [10_000, 2 * mobile + 2 * landline])
    await exchange.seconds(5)
    assert.ok(callee.over)
    await exchange.seconds(2)
    assert.ok(caller.over)
    assert.deepEqual(await left(exchange, ada), [10_000 - 2 * mobile, 0], '62 seconds')
    assert.deepEqual(await booked(exchange, ada), [2 * mobile])

    await orderCall(exchange, ada, { caller: cellphone, callee: outsideNumber, deviceId: ada.deviceId })
    exchange.phone.refuses('busy', 486)
    await exchange.rest()
    assert.deepEqual(await left(exchange, ada), [10_000 - 2 * mobile, 0], 'a call that is not answered costs nothing either')
  })

  test(`${database}: ends both legs when funds run out, with a prompt to both`, async (t) => {
    const exchange = await openExchange(t, { database })
    await exchange.addTrunk()
    const ada = await exchange.newCustomer({ money: mobile + 2 * landline })
    const { caller, callee } = await bothOutside(exchange, ada)
    await exchange.seconds(20)
    callee.answers()
    await exchange.seconds(33)
    assert.deepEqual([caller.playing, callee.playing], [[], []])
    await exchange.seconds(1)
    assert.deepEqual([caller.log.at(-1), callee.log.at(-1)], ['announce de/insufficient-funds', 'announce de/insufficient-funds'])
    await exchange.seconds(2)
    assert.equal(exchange.lastEnd?.reason, 'insufficient_funds')
    assert.deepEqual(caller.log.filter((one) => one.includes('insufficient')).length, 1, 'once')
    assert.deepEqual(await left(exchange, ada), [landline, 0])
    assert.deepEqual(await booked(exchange, ada), [mobile + landline])
  })

  test(`${database}: rejects with 402 before any phone rings when funds do not cover both legs`, async (t) => {
    const exchange = await openExchange(t, { database })
    await exchange.addTrunk()
    const ada = await exchange.newCustomer({ money: mobile + landline - 1 })
    const input = { caller: cellphone, callee: outsideNumber, deviceId: ada.deviceId }
    await assert.rejects(orderCall(exchange, ada, input), { code: 'insufficient_funds', status: 402 })
    assert.deepEqual([exchange.telephony.called, await left(exchange, ada)], [[], [mobile + landline - 1, 0]])
    await orderCall(exchange, ada, { callee: outsideNumber })
    assert.equal(exchange.ringing.length, 1, 'one leg can be paid')
  })

  test(`${database}: charges a leg that moved to another call to its originate request until it ends`, async (t) => {
    const exchange = await openExchange(t, { database })
    await exchange.addTrunk()
    const ada = await exchange.newCustomer({ money: 10_000 })
    const bob = await exchange.newCustomer()
    const first = await orderCall(exchange, ada, { callee: outsideNumber })
    const desk = exchange.phone
    desk.answers()
    await exchange.rest()
    const far = exchange.phone
    far.answers()
    await exchange.seconds(10)
    const asking = await exchange.callFrom(ada, bob.number)
    exchange.phone.answers()
    await exchange.seconds(10)
    const { told: notified } = asking.asksTransfer({ leg: desk })
    await exchange.rest()
    assert.deepEqual([notified, desk.over?.by, far.over], [['done'], 'us', undefined])
    assert.ok(
      (await exchange.history(ada)).some(({ sessionId }) => sessionId === first),
      'the first call is over',
    )
    assert.deepEqual(await left(exchange, ada), [10_000, landline], 'but what it ordered still talks')
    await exchange.seconds(50)
    far.hangsUp()
    await exchange.rest()
    assert.deepEqual(await left(exchange, ada), [10_000 - 2 * landline, 0], '70 seconds')
    assert.deepEqual(await booked(exchange, ada), [2 * landline])
  })

  test(`${database}: hangs up every party when the process dies, and charges up to the last heartbeat`, async (t) => {
    const exchange = await openExchange(t, { database })
    await exchange.addTrunk()
    const ada = await exchange.newCustomer({ money: 10_000 })
    const talking = await bothOutside(exchange, ada)
    await exchange.seconds(20)
    talking.callee.answers()
    await exchange.rest()
    const waiting = await bothOutside(exchange, ada)
    await exchange.seconds(55)
    exchange.crash()
    const { telephony, failures } = exchange
    await recoverAll(recoverParts(exchange), 'the next run')
    assert.deepEqual(new Set(telephony.byes), new Set([waiting.caller.id, talking.caller.id, talking.callee.id]))
    assert.deepEqual(
      new Set(await booked(exchange, ada)),
      new Set([2 * mobile + landline, mobile]),
      'one caller for more than a minute, everybody else for less',
    )
    assert.equal((await left(exchange, ada))[1], 0)
    assert.deepEqual(
      (await exchange.history(ada))
        .map(({ direction, detail }) => `${direction} ${detail.callStatus}`)
        .toSorted((a, b) => (a < b ? -1 : 1)),
      ['MISSED_OUTGOING FAILURE', 'OUTGOING SUCCESS'],
    )
    assert.deepEqual(failures, [])
  })
}

test('charges each leg to the second with one-second increments, without cutting off for time not talked', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const ada = await exchange.newCustomer({ money: 100 * 60 + 100 * 30 })
  const { tariffId } = (await exchange.store.read.accounts.find(ada.accountId)) ?? {}
  await exchange.store.write(async (tables) => {
    for (const prefix of [outsideNumber, cellphone]) {
      const rate = { service: 'CALL', prefix: prefix.slice(1), ratePerMinute: 6_000, minSeconds: 1, incrementSeconds: 1 } as const
      await setRate(tables, tariffId ?? '', readRate(rate, exchange.clock.now()))
    }
  })
  const { callee } = await bothOutside(exchange, ada)
  await exchange.seconds(30.4)
  callee.answers()
  await exchange.seconds(30)
  assert.equal(exchange.lastEnd?.reason, 'insufficient_funds')
  assert.deepEqual(await booked(exchange, ada), [56 * 100 + 25 * 100], 'the sentence comes six seconds before the end and takes two')
  assert.deepEqual(await left(exchange, ada), [900, 0])
})

test('ends the call when funds run out before the callee answers', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const ada = await exchange.newCustomer({ money: mobile + landline })
  const { caller, callee } = await bothOutside(exchange, ada)
  await exchange.seconds(54)
  assert.equal(caller.log.at(-1), 'announce de/insufficient-funds')
  await exchange.seconds(6)
  assert.deepEqual([exchange.lastEnd?.reason, callee.over?.by], ['insufficient_funds', 'us'])
  assert.deepEqual(await booked(exchange, ada), [mobile])
})

test('charges external phones to the request, but not forwardings of other accounts', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const [ada, bob] = [await exchange.newCustomer({ money: 10_000 }), await exchange.newCustomer({ money: 10_000 })]
  const external = await exchange.store.write(async (tables) => {
    await tables.phonelines.replaceForwardings(bob.accountId, bob.line, [{ destination: outsideNumber, timeout: 5, active: true }])
    return tables.devices.insert(ada.accountId, { owner: ada.userId, alias: 'Home', type: 'EXTERNAL', number: cellphone, at: 0 })
  })
  await orderCall(exchange, ada, { callee: external })
  exchange.phone.answers()
  await exchange.rest()
  exchange.phone.answers()
  await exchange.seconds(10)
  assert.deepEqual(await left(exchange, ada), [10_000, mobile], 'reserved once')
  exchange.telephony.alive[1]?.hangsUp()
  await exchange.rest()
  assert.deepEqual(await booked(exchange, ada), [mobile])

  await orderCall(exchange, ada, { caller: external, callee: bob.number })
  const caller = exchange.phone
  caller.answers()
  await exchange.seconds(6)
  exchange.phone.answers()
  await exchange.seconds(10)
  assert.deepEqual(
    [await left(exchange, ada), await left(exchange, bob)],
    [
      [10_000 - mobile, mobile],
      [10_000, landline],
    ],
  )
  caller.hangsUp()
  await exchange.rest()
  assert.deepEqual([await booked(exchange, ada), await booked(exchange, bob)], [[mobile, mobile], [landline]])
})

test('keeps the reservation of a long internal call, so that the request is not repeated', async (t) => {
  const exchange = await openExchange(t)
  const [ada, bob] = [await exchange.newCustomer({ money: 0 }), await exchange.newCustomer()]
  const order = await orderCall(exchange, ada, { callee: bob.number })
  exchange.phone.answers()
  await exchange.rest()
  exchange.phone.answers()
  await exchange.seconds(600)
  const reservation = () => exchange.store.read.balances.findReservation(ada.accountId, order)
  const { state, expiresAt = 0 } = (await reservation()) ?? {}
  assert.deepEqual([state, expiresAt > exchange.clock.now()], ['OPEN', true])
  await exchange.calls.get(adminOf(ada), order).hangUp()
  await exchange.rest()
  assert.equal((await reservation())?.state, 'COMMITTED')
  await orderCall(exchange, ada, { callee: bob.number }, order)
  assert.equal(exchange.telephony.called.length, 2)
})

test('limits an account to two call starts per second and thirty running calls, without counting emergency calls', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const ada = await exchange.newCustomer()
  const refused = (input: { callee: string }) => assert.rejects(orderCall(exchange, ada, input), { code: 'rate_limited', status: 429 })
  await orderCall(exchange, ada, { callee: outsideNumber })
  await orderCall(exchange, ada, { callee: outsideNumber })
  await refused({ callee: outsideNumber })
  await orderCall(exchange, ada, { callee: '112' })
  for (let calls = 3; calls < defaultLimits.paidCalls; calls++) {
    await exchange.seconds(1)
    await orderCall(exchange, ada, { callee: outsideNumber })
  }
  await exchange.seconds(1)
  await refused({ callee: outsideNumber })
  exchange.ringing[0]?.refuses('busy')
  await exchange.rest()
  await orderCall(exchange, ada, { callee: outsideNumber })
  assert.equal((await exchange.money(ada)).reserved, 29 * landline)
})
