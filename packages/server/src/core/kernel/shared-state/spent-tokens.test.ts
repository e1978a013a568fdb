import assert from 'node:assert/strict'
import { test } from 'node:test'
import { localBus, LocalHub } from '#adapters/bus/local-bus.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { TokenBuckets } from '../token-bucket.ts'
import { SpentTokens } from './spent-tokens.ts'

const rate = { burst: 10, perSecond: 1 }

const newProcess = (hub: LocalHub | undefined, clock: VirtualClock, self: string, intervalMs: number) => {
  const buckets = new TokenBuckets(clock, 100)
  const spent = new SpentTokens({
    bus: localBus(hub),
    self,
    clock,
    kind: 'test',
    intervalMs,
    spend: (key, tokens) => buckets.spend(key, rate, tokens),
  })
  const take = (key: string): boolean => {
    const taken = buckets.take(key, rate)
    if (taken) spent.took(key)
    return taken
  }
  return {
    take,
    taken: (times: number) => Array.from({ length: times }, () => take('k')).filter(Boolean).length,
    close: () => spent.close(),
  }
}

test('allows three nodes as many tokens as one', async () => {
  const [hub, clock] = [new LocalHub(), new VirtualClock(0)]
  const all = ['a', 'b', 'c'].map((self) => newProcess(hub, clock, self, 0))
  let taken = 0
  for (let round = 0; round < 20; round++)
    for (const { take } of all) {
      taken += Number(take('k'))
      await clock.advance(0)
    }
  assert.equal(taken, 10)
  await clock.advance(5_000)
  for (const { taken: takeMany } of all) {
    taken += takeMany(10)
    await clock.advance(0)
  }
  assert.equal(taken, 15)
  for (const { close } of all) close()
})

test('turns tokens taken concurrently into a limited debt', async () => {
  const [hub, clock] = [new LocalHub(), new VirtualClock(0)]
  const all = ['a', 'b', 'c'].map((self) => newProcess(hub, clock, self, 1_000))
  assert.deepEqual(
    all.map(({ taken }) => taken(20)),
    [10, 10, 10],
    'nobody has heard of the others yet',
  )
  await clock.advance(1_000)
  assert.deepEqual(
    all.map(({ taken }) => taken(5)),
    [0, 0, 0],
  )
  await clock.advance(12_000)
  assert.equal(all[0]?.taken(5), 2, 'after a bucket and a bit')
  for (const { close } of all) close()
  assert.equal(clock.pending(), 0)
})

test('keeps keys apart and sets no timer on a local bus', async () => {
  const [hub, clock] = [new LocalHub(), new VirtualClock(0)]
  const [a, b] = [newProcess(hub, clock, 'a', 1_000), newProcess(hub, clock, 'b', 1_000)]
  assert.equal(a.taken(10), 10)
  await clock.advance(1_000)
  assert.equal(b.take('other'), true)
  a.close()
  b.close()
  const alone = newProcess(undefined, clock, 'a', 1_000)
  alone.take('k')
  assert.equal(clock.pending(), 0)
})
