import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases } from '#test/store/databases.ts'
import { openExchange, outsideNumber } from '#test/routing/scripted-exchange.ts'

/** 0.019 per minute, billing increments 60/60. */
const price = 190
const twoHours = 2 * 60 * 60 * 1000

for (const database of databases)
  for (const [way, ms] of [
    ['forward', twoHours],
    ['back', -twoHours],
  ] as const) {
    test(`${database}: keeps duration and cost of a call when the clock is set ${way}`, async (t) => {
      const exchange = await openExchange(t, { database, keepsTimelines: true })
      await exchange.addTrunk()
      const ada = await exchange.newCustomer({ money: 10 * price })
      const startedAt = exchange.clock.now()
      const caller = await exchange.callFrom(ada, outsideNumber)
      exchange.phone.answers()
      await exchange.rest()
      await exchange.seconds(10)
      exchange.clock.set(ms)
      await exchange.seconds(6)
      caller.hangsUp()
      await exchange.rest()
      const entry = await exchange.entry(ada)
      assert.deepEqual([entry.createdAt, entry.detail.duration], [startedAt, 16])
      assert.equal((await exchange.store.read.balances.find(ada.accountId))?.amount, 9 * price, 'one minute')
      const next = await exchange.callFrom(ada, outsideNumber)
      next.hangsUp()
      await exchange.rest()
      const times = (await exchange.history(ada)).map(({ createdAt }) => createdAt)
      assert.deepEqual(
        times.toSorted((a, b) => a - b),
        [startedAt, startedAt + 16_000 + ms].toSorted((a, b) => a - b),
        'the next one goes by the new time',
      )
    })

    test(`${database}: ends a call when its funds run out, not earlier or later, when the clock is set ${way}`, async (t) => {
      const exchange = await openExchange(t, { database })
      await exchange.addTrunk()
      const ada = await exchange.newCustomer({ money: 2 * price + 100 })
      await exchange.callFrom(ada, outsideNumber)
      exchange.phone.answers()
      await exchange.rest()
      await exchange.seconds(30)
      exchange.clock.set(ms)
      await exchange.seconds(85.9)
      assert.equal(exchange.callRouter.size, 1, 'they talk')
      await exchange.seconds(0.2)
      assert.equal(exchange.lastEnd?.reason, 'insufficient_funds')
      assert.equal((await exchange.entry(ada)).detail.duration, 116)
    })

    test(`${database}: keeps the ring timeout when the clock is set ${way} while a phone rings`, async (t) => {
      const exchange = await openExchange(t, { database })
      await exchange.addTrunk()
      const ada = await exchange.newCustomer({ money: 10 * price })
      const rung = async (set: number): Promise<number> => {
        const caller = await exchange.callFrom(ada, outsideNumber)
        for (let seconds = 0; ; seconds++) {
          if (caller.over || seconds > 300) return seconds
          if (seconds === 5) exchange.clock.set(set)
          await exchange.seconds(1)
        }
      }
      const usual = await rung(0)
      assert.ok(usual > 5 && usual < 300)
      assert.equal(await rung(ms), usual)
    })
  }
