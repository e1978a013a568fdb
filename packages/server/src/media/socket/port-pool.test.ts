import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MediaFull, PortPool } from './port-pool.ts'

const poolOf = (first: number, last: number) => {
  let now = 0
  let refusals = 0
  const pool = new PortPool({ first, last }, { restMs: 30_000, now: () => now, exhausted: () => void refusals++ })
  return { pool, pass: (ms: number) => (now += ms), refusals: () => refusals }
}

const takeAll = (pool: PortPool): number[] => {
  const ports: number[] = []
  for (;;) {
    try {
      ports.push(pool.take())
    } catch (error) {
      assert.ok(error instanceof MediaFull)
      return ports
    }
  }
}

test('takes each even port with a free odd one above, once', () => {
  const byNumber = (a: number, b: number): number => a - b
  assert.deepEqual(takeAll(poolOf(30_000, 30_007).pool).toSorted(byNumber), [30_000, 30_002, 30_004, 30_006])
  assert.deepEqual(takeAll(poolOf(30_001, 30_006).pool).toSorted(byNumber), [30_002, 30_004])
  assert.deepEqual(takeAll(poolOf(30_000, 30_000).pool), [])
})

test('the order is unpredictable', () => {
  const orders = new Set(Array.from({ length: 20 }, () => takeAll(poolOf(30_000, 30_199).pool).join()))
  assert.equal(orders.size, 20)
})

test('a port rests while others are free, and is reused after its rest', () => {
  const { pool, pass } = poolOf(30_000, 30_005)
  const [first, second] = [pool.take(), pool.take()]
  pool.release(first)
  pass(29_999)
  const third = pool.take()
  assert.ok(![first, second].includes(third))
  pool.release(third)
  pass(1)
  assert.equal(pool.take(), first, 'which has rested, unlike the third')
  assert.equal(pool.figures.hurried, 0)
})

test('takes the longest-resting port when no other is left, and rejects a call only without any', () => {
  const { pool, pass, refusals } = poolOf(30_000, 30_005)
  const ports = [pool.take(), pool.take(), pool.take()]
  for (const port of ports) {
    pool.release(port)
    pass(1)
  }
  assert.deepEqual(pool.figures, { all: 3, free: 0, resting: 3, taken: 0, hurried: 0, exhausted: 0 })
  assert.deepEqual(takeAll(pool), ports)
  assert.deepEqual(pool.figures, { all: 3, free: 0, resting: 0, taken: 3, hurried: 3, exhausted: 1 })
  assert.equal(refusals(), 1)
})

test('10,000 ports sustain 90 calls a second with two legs each', () => {
  const { pool, pass } = poolOf(20_000, 29_999)
  for (let call = 0; call < 90 * 60; call++) {
    const legs = [pool.take(), pool.take()]
    for (const port of legs) pool.release(port)
    pass(1000 / 90)
  }
  const { exhausted, hurried } = pool.figures
  assert.equal(exhausted, 0)
  assert.ok(hurried > 0, 'which is more than their rest allows')
})

test('does not retry a port of another program before its time', () => {
  const { pool, pass } = poolOf(30_000, 30_003)
  const [foreign, own] = [pool.take(), pool.take()]
  pool.avoid(foreign)
  assert.throws(() => pool.take(), MediaFull)
  pool.release(own)
  assert.equal(pool.take(), own)
  pass(30_000)
  assert.equal(pool.take(), foreign)
})
