import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { bothDatabases, databases, type Database } from '#test/store/databases.ts'
import { ScriptedAssistant } from '#test/routing/scripted-assistant.ts'
import { Exchange, openExchange, outsideNumber, type Customer } from '#test/routing/scripted-exchange.ts'
import { orderCall, placeOrder } from '#test/routing/scripted-order.ts'
import { moneyJobs } from '#core/money/jobs.ts'

const price = 190

interface Scene {
  exchange: Exchange
  ada: Customer
  /** Another node on the same database. */
  other: Exchange
}

const prepare = async (t: TestContext, database: Database): Promise<Scene> => {
  const exchange = await openExchange(t, { database })
  await exchange.addTrunk()
  const ada = await exchange.newCustomer()
  const other = new Exchange(exchange.store, new ScriptedAssistant())
  t.after(() => other.close())
  other.telephony.register(ada.accountId, ada.deviceId)
  return { exchange, ada, other }
}

const dialled = ({ exchange, other }: Scene) => [exchange.telephony.called.length, other.telephony.called.length]

/** Fails the nth external request from now on. */
const fails = ({ outside }: Exchange, place: number): void => {
  outside.failAt = outside.count + place
}

const expire = async ({ exchange, ada }: Scene, sessionId: string): Promise<void> => {
  await exchange.clock.advance(6 * 60_000)
  const job = moneyJobs(exchange.store, exchange.clock)['reservation.expire'] ?? assert.fail()
  await job({ accountId: ada.accountId, sessionId }, { id: '', kind: '', payload: {}, attempts: 1 })
}

for (const database of databases) {
  test(`${database}: leaves a request to its owner when a node cannot query the owner`, async (t) => {
    const scene = await prepare(t, database)
    const { exchange, ada, other } = scene
    const order = await orderCall(exchange, ada, { callee: outsideNumber })
    fails(other, 1)
    await assert.rejects(orderCall(other, ada, { callee: outsideNumber }, order), /injected: write/)
    assert.equal((await exchange.money(ada)).reserved, price)
    exchange.phone.answers()
    await exchange.rest()
    exchange.phone.answers()
    await exchange.seconds(30)
    exchange.telephony.alive[0]?.hangsUp()
    await exchange.rest()
    assert.deepEqual([await exchange.money(ada), dialled(scene)], [{ spent: price, reserved: 0 }, [2, 0]])
  })

  test(`${database}: releases everything and allows a repeat when any request before the first ring fails`, async (t) => {
    const { exchange, ada } = await prepare(t, database)
    for (let place = 1; ; place++) {
      const order = randomUUID()
      fails(exchange, place)
      const refused = await orderCall(exchange, ada, { callee: outsideNumber }, order).then(
        () => undefined,
        (error: Error) => error.message,
      )
      if (refused === undefined) break
      assert.match(refused, /injected/)
      assert.deepEqual(
        [await exchange.money(ada), exchange.telephony.called, exchange.callRouter.size, exchange.clock.pending()],
        [{ spent: 0, reserved: 0 }, [], 0, 0],
        `${place}: ${refused}`,
      )
      await exchange.seconds(1)
      await orderCall(exchange, ada, { callee: outsideNumber }, order)
      exchange.phone.refuses('busy', 486)
      await exchange.seconds(1)
      exchange.telephony.called.length = 0
    }
    exchange.outside.failAt = undefined
    assert.ok(exchange.outside.count > 5)
  })

  test(`${database}: releases the reservation when the reply to the claim is lost`, async (t) => {
    const { exchange, ada } = await prepare(t, database)
    const order = randomUUID()
    exchange.outside.loseAnswer = true
    fails(exchange, 1)
    await assert.rejects(orderCall(exchange, ada, { callee: outsideNumber }, order), /the answer of write is lost/)
    assert.deepEqual([await exchange.money(ada), exchange.telephony.called], [{ spent: 0, reserved: 0 }, []])
    await exchange.seconds(1)
    await orderCall(exchange, ada, { callee: outsideNumber }, order)
    assert.equal(exchange.ringing.length, 1)
  })
}

for (const database of bothDatabases) {
  test(`${database}: carries a request out at most once when a node dies between reservation and dialling`, async (t) => {
    const scene = await prepare(t, database)
    const { exchange, ada, other } = scene
    const [unclaimed, claimed] = [randomUUID(), randomUUID()]
    // The node accepts the requests and dies before, or after, its claim is written.
    exchange.crash()
    void placeOrder(exchange, ada, { callee: outsideNumber }, unclaimed)
    void placeOrder(exchange, ada, { callee: outsideNumber }, claimed)
    for (const order of [unclaimed, claimed])
      while (!(await exchange.store.read.balances.findReservation(ada.accountId, order))) await exchange.rest()
    assert.equal(await exchange.store.write(({ balances }) => balances.claim(ada.accountId, claimed, 'the dead one')), true)

    await Promise.all([1, 2, 3].map(() => placeOrder(other, ada, { callee: outsideNumber }, unclaimed)))
    await placeOrder(other, ada, { callee: outsideNumber }, claimed)
    await other.rest()
    assert.deepEqual(dialled(scene), [0, 1])
    assert.equal((await exchange.money(ada)).reserved, 2 * price)
    other.phone.refuses('busy', 486)
    await other.rest()
    await expire(scene, claimed)
    assert.deepEqual(await exchange.money(ada), { spent: 0, reserved: 0 }, 'what the dead one held comes back')
  })
}

test('does not count a repeated request against the rate limit', async (t) => {
  const scene = await prepare(t, 'sqlite')
  const { exchange, ada, other } = scene
  const first = await orderCall(exchange, ada, { callee: outsideNumber })
  await orderCall(exchange, ada, { callee: outsideNumber })
  await orderCall(other, ada, { callee: outsideNumber }, first)
  await assert.rejects(orderCall(other, ada, { callee: outsideNumber }), { code: 'rate_limited' })
  assert.deepEqual(dialled(scene), [2, 0])
})
