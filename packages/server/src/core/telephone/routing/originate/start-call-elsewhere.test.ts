import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { adminOf } from '#test/routing/flow-calls.ts'
import { openExchange, outsideNumber, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'
import { orderCall } from '#test/routing/scripted-order.ts'

const prepare = async (t: TestContext): Promise<{ exchange: Exchange; ada: Customer; bob: Customer }> => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  return { exchange, ada: await exchange.newCustomer(), bob: await exchange.newCustomer() }
}

test('records an originated call in the account whose phones ring for it, also when it is unanswered', async (t) => {
  const { exchange, ada, bob } = await prepare(t)
  const order = await orderCall(exchange, ada, { caller: bob.number, callee: outsideNumber, deviceId: ada.deviceId })
  exchange.phone.rings()
  await exchange.seconds(60)
  assert.equal(exchange.callRouter.size, 0)
  const entry = await exchange.entry(bob)
  assert.deepEqual(
    [entry.sessionId, entry.direction, entry.source, entry.target, entry.detail.callStatus, entry.userId],
    [order, 'MISSED_INCOMING', ada.number, bob.number, 'MISSED', bob.userId],
  )
  await orderCall(exchange, ada, { caller: bob.number, callee: outsideNumber, deviceId: ada.deviceId })
  const [running] = (await exchange.history(bob)).filter(({ sessionId }) => sessionId !== order)
  assert.equal(running, undefined, 'not before it is over')
  await exchange.calls.get(adminOf(bob), exchange.changes.at(-1)?.[1].callId ?? '').hangUp()
  await exchange.rest()
  assert.equal(exchange.telephony.alive.length, 0, 'and may refuse it like any call')
})

test('respects the routing of another account when its number is the caller, however the number is given', async (t) => {
  const { exchange, ada, bob } = await prepare(t)
  const { accountId, line } = bob
  const external = await exchange.store.write((tables) =>
    tables.devices.insert(ada.accountId, { owner: ada.userId, alias: 'Bob', type: 'EXTERNAL', number: bob.number, at: 0 }),
  )
  const ways = [{ caller: bob.number, deviceId: ada.deviceId }, { caller: external }]
  const unreachable = async () => {
    for (const way of ways) {
      await exchange.seconds(1)
      await assert.rejects(orderCall(exchange, ada, { ...way, callee: outsideNumber }), { code: 'caller_not_reachable' })
    }
  }
  await exchange.store.write(async ({ devices, phonelines }) => {
    for (const id of [ada.deviceId, external]) await devices.update(ada.accountId, id, { callerId: 'anonymous' })
    await phonelines.update(accountId, line, { blockAnonymous: true })
  })
  await unreachable()
  await exchange.store.write(({ phonelines }) => phonelines.update(accountId, line, { blockAnonymous: false }))
  for (const way of ways) {
    await exchange.seconds(1)
    const order = await orderCall(exchange, ada, { ...way, callee: outsideNumber })
    assert.deepEqual(exchange.phone.dial?.caller, { number: undefined, name: '', withheld: true })
    await exchange.calls.get(adminOf(ada), order).hangUp()
    await exchange.rest()
  }
  await exchange.store.write(({ phonelines }) =>
    phonelines.replaceForwardings(accountId, line, [{ destination: outsideNumber, timeout: 0, active: true }]),
  )
  await unreachable()
  assert.deepEqual(
    [exchange.telephony.called.length, await exchange.money(ada), (await exchange.money(bob)).reserved],
    [2, { spent: 0, reserved: 0 }, 0],
  )
})

test('stops calls that are routed back to where they started', async (t) => {
  const { exchange, ada, bob } = await prepare(t)
  // The only phone of the line is the one waiting: the voicemail is left.
  await orderCall(exchange, ada, { callee: ada.line })
  const own = exchange.phone
  own.answers()
  await exchange.seconds(10)
  assert.deepEqual([exchange.telephony.called.length, own.log.includes('play de/voicemail-greeting')], [1, true])
  own.hangsUp()
  await exchange.seconds(1)

  // Two lines that forward to each other.
  await exchange.store.write(async ({ phonelines }) => {
    await phonelines.replaceForwardings(bob.accountId, bob.line, [{ destination: ada.number, timeout: 0, active: true }])
    await phonelines.replaceForwardings(ada.accountId, ada.line, [{ destination: bob.number, timeout: 0, active: true }])
  })
  await orderCall(exchange, ada, { callee: bob.number })
  const caller = exchange.phone
  caller.answers()
  await exchange.seconds(60)
  assert.equal(exchange.telephony.called.length, 2, 'no other phone rings')
  caller.hangsUp()
  await exchange.rest()
  assert.equal(exchange.callRouter.size, 0)
  for (const one of [ada, bob]) assert.deepEqual(await exchange.money(one), { spent: 0, reserved: 0 })
})

test('plays messages to their owner’s phone only, not to phones elsewhere', async (t) => {
  const { exchange, ada, bob } = await prepare(t)
  await orderCall(exchange, ada, { callee: '50000' })
  const { phone } = exchange
  assert.equal(phone.dial?.caller.number, '50000')
  phone.answers()
  await exchange.seconds(10)
  assert.deepEqual(phone.log.slice(-2), ['play de/no-more-messages', 'hangUp normal'])
  const { direction, target, detail } = await exchange.entry(ada)
  assert.deepEqual([direction, target, detail.callStatus], ['OUTGOING', '50000', 'SUCCESS'])
  for (const caller of [outsideNumber, bob.number])
    await assert.rejects(orderCall(exchange, ada, { caller, callee: '50000', deviceId: ada.deviceId }), { code: 'call_not_allowed' })
  assert.deepEqual([exchange.telephony.called.length, await exchange.money(ada)], [1, { spent: 0, reserved: 0 }])
})
