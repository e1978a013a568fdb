import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MediaFull } from './engine.ts'
import { PortPool } from './port-pool.ts'

const poolOf = (first: number, last: number) => {
  let now = 0
  return { pool: new PortPool({ first, last }, 30_000, () => now), pass: (ms: number) => (now += ms) }
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

test('gives each even port with a free odd one above, once', () => {
  const byNumber = (a: number, b: number): number => a - b
  assert.deepEqual(takeAll(poolOf(30_000, 30_007).pool).toSorted(byNumber), [30_000, 30_002, 30_004, 30_006])
  assert.deepEqual(takeAll(poolOf(30_001, 30_006).pool).toSorted(byNumber), [30_002, 30_004])
  assert.deepEqual(takeAll(poolOf(30_000, 30_000).pool), [])
})

test('the order cannot be guessed', () => {
  const orders = new Set(Array.from({ length: 20 }, () => takeAll(poolOf(30_000, 30_199).pool).join()))
  assert.equal(orders.size, 20)
})

test('a port rests before it is used again', () => {
  const { pool, pass } = poolOf(30_000, 30_003)
  const [first = 0] = takeAll(pool)
  pool.release(first)
  pass(29_999)
  assert.throws(() => pool.take(), MediaFull)
  pass(1)
  assert.equal(pool.take(), first)
  assert.throws(() => pool.take(), MediaFull)
})
