import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { localBus, LocalHub } from '#adapters/bus/local-bus.ts'
import { bothDatabases, type Database } from '#test/store/databases.ts'
import { openExchange, outsideNumber, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'
import { openSecond } from '#test/routing/second-process.ts'
import { EdgeAttempts } from './edge-attempts.ts'

const attempt = (number: number) => ({ attempt: { edgeCall: 'one', number } })

/** Two processes on one store; `connected`: with a bus between them. */
const openTwo = async (t: TestContext, { database, connected }: { database: Database; connected: boolean }) => {
  const hub = new LocalHub()
  const attempts = () => ({ attempts: new EdgeAttempts(connected ? localBus(hub) : localBus()) })
  const first = await openExchange(t, { database, ...attempts() })
  const { exchange: second } = openSecond(t, first, attempts())
  await first.addTrunk()
  const ada = await first.newCustomer()
  return { first, second, ada }
}

const rest = async (...exchanges: Exchange[]): Promise<void> => {
  for (const exchange of [...exchanges, ...exchanges]) await exchange.rest()
}

const statuses = async (exchange: Exchange, customer: Customer) =>
  (await exchange.history(customer)).map(({ status, detail }) => [status, detail.duration])

for (const database of bothDatabases) {
  test(`${database}: gives up an unanswered call when the edge asks another process`, async (t) => {
    const { first, second, ada } = await openTwo(t, { database, connected: true })
    const slow = await first.callFrom(ada, outsideNumber, attempt(0))
    const ghost = first.phone
    const caller = await second.callFrom(ada, outsideNumber, attempt(1))
    await rest(first, second)
    assert.ok(ghost.over && slow.log.includes('hangUp overloaded'))
    assert.deepEqual(await first.money(ada), { spent: 0, reserved: 190 }, 'the second call only')
    assert.deepEqual(await first.history(ada), [])
    second.phone.answers()
    await second.seconds(20)
    caller.hangsUp()
    await rest(first, second)
    assert.deepEqual(await statuses(first, ada), [['PICKUP', 20]])
  })

  test(`${database}: does not begin a call late that another process was asked for`, async (t) => {
    const { first, second, ada } = await openTwo(t, { database, connected: true })
    const caller = await second.callFrom(ada, outsideNumber, attempt(1))
    await rest(first, second)
    const late = await first.callFrom(ada, outsideNumber, attempt(0))
    assert.deepEqual([late.log.at(-1), first.ringing.length], ['hangUp overloaded', 0])
    caller.hangsUp()
    await rest(first, second)
    assert.equal((await first.history(ada)).length, 1)
  })

  for (const answeredFirst of [true, false])
    test(`${database}: writes one entry without a bus when the answered call ends ${answeredFirst ? 'first' : 'last'}`, async (t) => {
      const { first, second, ada } = await openTwo(t, { database, connected: false })
      const [slow, caller] = [await first.callFrom(ada, outsideNumber, attempt(0)), await second.callFrom(ada, outsideNumber, attempt(1))]
      second.phone.answers()
      await second.seconds(20)
      for (const [leg, exchange] of answeredFirst
        ? ([
            [caller, second],
            [slow, first],
          ] as const)
        : ([
            [slow, first],
            [caller, second],
          ] as const)) {
        leg.hangsUp()
        await exchange.rest()
      }
      assert.deepEqual(await statuses(first, ada), [['PICKUP', 20]])
      const [entry] = await first.history(ada)
      assert.deepEqual(await first.store.read.history.listBySession(ada.accountId, entry?.sessionId ?? ''), [entry])
    })

  test(`${database}: writes one entry for a call that three processes rejected`, async (t) => {
    const { first, second, ada } = await openTwo(t, { database, connected: false })
    for (const [number, exchange] of [first, second, first].entries()) {
      const caller = await exchange.callFrom(ada, outsideNumber, attempt(number))
      exchange.phone.refuses('overloaded')
      await exchange.rest()
      assert.ok(caller.over)
    }
    assert.deepEqual(await statuses(first, ada), [['NOPICKUP', 0]])
    assert.deepEqual(await first.money(ada), { spent: 0, reserved: 0 })
  })
}
