import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openExchange, outsideNumber } from '#test/routing/scripted-exchange.ts'

test('rejects new calls while draining and keeps running ones, then hangs up, charges and records all', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const ada = await exchange.newCustomer()
  const bob = await exchange.newCustomer()
  const talking = await exchange.callFrom(ada, outsideNumber)
  exchange.phone.answers()
  await exchange.seconds(70)
  exchange.callRouter.drain()
  assert.deepEqual((await exchange.callIn(bob.number)).log, ['hangUp overloaded'])
  assert.deepEqual((await exchange.callFrom(bob, outsideNumber)).log, ['hangUp overloaded'])
  assert.deepEqual(await exchange.history(bob), [])
  exchange.callRouter.drain(false)
  const again = await exchange.callIn(bob.number)
  assert.notEqual(again.log.at(-1), 'hangUp overloaded', 'a drained process may be put back')
  again.hangsUp()
  await exchange.rest()
  exchange.callRouter.drain()
  assert.equal(talking.over, undefined)
  assert.equal(exchange.callRouter.size, 1)
  await exchange.callRouter.hangUpAll()
  assert.equal(talking.log.at(-1), 'hangUp normal')
  assert.equal(exchange.lastEnd?.reason, 'service_shutdown')
  assert.deepEqual(await exchange.money(ada), { spent: 2 * 190, reserved: 0 })
  await exchange.entry(ada)
  assert.deepEqual((await exchange.callFrom(ada, '112')).log, ['hangUp overloaded'], 'nothing is left to carry it')
})

test('rejects a call that arrives during shutdown and waits for it', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const leg = exchange.telephony.arrives({ kind: 'device', accountId: ada.accountId, deviceId: ada.deviceId }, ada.number)
  await exchange.callRouter.hangUpAll()
  assert.deepEqual(leg.log, ['hangUp overloaded'])
})

test('shuts down when the database does not come back', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  await exchange.callIn(ada.number)
  exchange.phone.answers()
  await exchange.rest()
  const write = exchange.store.write.bind(exchange.store)
  exchange.store.write = () => Promise.reject(new Error('the database is away'))
  await exchange.callRouter.hangUpAll()
  exchange.store.write = write
  assert.ok(exchange.failures.length > 0)
})
