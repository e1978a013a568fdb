import assert from 'node:assert/strict'
import { test } from 'node:test'
import { localBus, LocalHub } from '#adapters/bus/local-bus.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { CircuitBreaker, CircuitBreakers } from './circuit-breaker.ts'

const times = (count: number, what: () => void): void => Array.from({ length: count }).forEach(what)

test('opens after five consecutive failures; a success resets the count', () => {
  const breaker = new CircuitBreaker(new VirtualClock())
  times(4, () => breaker.failed())
  breaker.succeeded()
  times(4, () => breaker.failed())
  assert.equal(breaker.admit(), 0)
  breaker.failed()
  assert.equal(breaker.admit(), 10_000)
})

test('opens when half of 20 results within 30 s failed', async () => {
  for (const [pause, expected] of [
    [1_500, 10_000],
    [1_700, 0],
  ] as const) {
    const clock = new VirtualClock()
    const breaker = new CircuitBreaker(clock)
    for (let i = 0; i < 10; i++) {
      breaker.succeeded()
      await clock.jump(pause)
      breaker.failed()
      await clock.jump(pause)
      if (i < 9) assert.equal(breaker.admit(), 0)
    }
    assert.equal(breaker.admit(), Math.max(expected - pause, 0))
  }
})

test('allows one attempt every 10 s and closes after a success', async () => {
  const clock = new VirtualClock()
  const breaker = new CircuitBreaker(clock)
  times(5, () => breaker.failed())
  await clock.jump(9_999)
  assert.equal(breaker.admit(), 1)
  await clock.jump(1)
  assert.equal(breaker.admit(), 0)
  assert.ok(breaker.admit() > 0, 'the others wait for what the first one finds')
  breaker.failed()
  assert.equal(breaker.admit(), 10_000)
  await clock.jump(10_000)
  assert.equal(breaker.admit(), 0)
  breaker.withdrawn()
  assert.equal(breaker.admit(), 0, 'one that found out nothing makes room for another')
  breaker.succeeded()
  times(20, () => assert.equal(breaker.admit(), 0))
  times(4, () => breaker.failed())
  assert.equal(breaker.admit(), 0, 'what was before does not count any more')
})

test('keeps one breaker per account and address, up to a maximum', () => {
  const breakers = new CircuitBreakers(new VirtualClock())
  times(5, () => breakers.of('a', 'https://example.com/').failed())
  assert.ok(breakers.of('a', 'https://example.com/').admit() > 0)
  assert.equal(breakers.of('b', 'https://example.com/').admit(), 0)
  assert.equal(breakers.open, 1)
  for (let i = 0; i < 9_998; i++) breakers.of('c', String(i))
  assert.ok(breakers.of('a', 'https://example.com/').admit() > 0)
  for (let i = 0; i < 10_000; i++) breakers.of('d', String(i))
  assert.equal(breakers.of('a', 'https://example.com/').admit(), 0, 'the one that was not used for longest is forgotten')
})

test('shares its state between processes', async () => {
  const [hub, clock] = [new LocalHub(), new VirtualClock()]
  const [here, there] = [new CircuitBreakers(clock, localBus(hub)), new CircuitBreakers(clock, localBus(hub))]
  const [near, far] = [here, there].map((breakers) => () => breakers.of('a', 'https://example.com/').admit()) as [
    () => number,
    () => number,
  ]
  times(5, () => here.of('a', 'https://example.com/').failed())
  await clock.advance(1_000)
  assert.deepEqual([near(), far(), there.of('b', 'https://example.com/').admit()], [9_000, 9_000, 0])
  await clock.advance(9_000)
  assert.equal(far(), 0, 'each finds out whether it is back')
  there.of('a', 'https://example.com/').succeeded()
  await clock.advance(0)
  assert.deepEqual([near(), near(), far()], [0, 0, 0])
  here.close()
  there.close()
  assert.equal(hub.hearing.size, 0)
})
