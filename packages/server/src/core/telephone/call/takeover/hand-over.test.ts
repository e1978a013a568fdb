import assert from 'node:assert/strict'
import { test } from 'node:test'
import { localBus, LocalHub } from '#adapters/bus/local-bus.ts'
import type { CallHold } from '#core/kernel/ports/store/call.ts'
import { openTalk, price } from '#test/routing/lost-calls.ts'
import type { Exchange } from '#test/routing/scripted-exchange.ts'
import { openSecond, type SecondProcess } from '#test/routing/second-process.ts'
import { bothDatabases } from '#test/store/databases.ts'
import { handing, HandOver, takesCalls } from './hand-over.ts'

/** Hands the calls of the first node over to the second. */
const join = (first: Exchange, { exchange, takeover }: SecondProcess, answers = true): HandOver => {
  const here = localBus(new LocalHub())
  const { owner } = exchange.leases
  if (answers)
    here.answer(takesCalls(owner), async (body) => {
      const hold = body as CallHold
      return { taken: await takeover.ofHolder(hold, async () => void (await here.ask(handing(hold.callId), {}))) }
    })
  const peerNode = { owner, http: '', sip: '', version: '1', snapshots: 2, calls: 0, draining: false }
  const onFailure = (error: unknown): void => void first.failures.push(error)
  return new HandOver({ bus: here, peerNodes: { living: () => [peerNode] }, calls: () => first.callRouter.calls, onFailure })
}

for (const database of bothDatabases)
  test(`${database}: hands a call over, releases it when its phones have agreed, and charges it once`, async (t) => {
    const { exchange, ada, caller, far } = await openTalk(t, database)
    await exchange.seconds(20)
    const second = openSecond(t, exchange)
    const hands = join(exchange, second)
    assert.equal(await hands.all(), 1)
    await exchange.rest()
    assert.deepEqual([caller.log.at(-1), far.log.at(-1)], ['abandon', 'abandon'])
    assert.equal(exchange.callRouter.size, 0)
    assert.deepEqual(exchange.changes.at(-1)?.[0], 'taken')
    const [first, other] = second.exchange.telephony.resumed
    assert.deepEqual(first?.hears, [other])
    await second.exchange.seconds(10)
    other?.hangsUp()
    await second.exchange.rest()
    assert.equal((await second.exchange.entry(ada)).detail.duration, 30)
    assert.deepEqual(await second.exchange.money(ada), { spent: price, reserved: 0 })
    await second.assertClean()
  })

test('keeps and writes calls that no other node takes', async (t) => {
  const { exchange, ada, caller, far } = await openTalk(t, 'sqlite')
  await exchange.seconds(20)
  const second = openSecond(t, exchange)
  assert.equal(await join(exchange, second, false).all(), 0)
  await exchange.seconds(10)
  assert.deepEqual(caller.hears, [far])
  far.hangsUp()
  await exchange.rest()
  assert.equal((await exchange.entry(ada)).detail.duration, 30)
  await second.assertClean()
})
