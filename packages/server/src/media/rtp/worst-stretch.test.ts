import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WorstStretch } from './quality.ts'

const at = (ms: number): number => Math.round(performance.timeOrigin + ms)

test('finds the three seconds with the highest loss', () => {
  const worst = new WorstStretch()
  const lostAt = new Map([
    [4_000, 30],
    [10_000, 90],
  ])
  let [received, lost] = [0, 0]
  for (let ms = 0; ms <= 20_000; ms += 500) {
    const missing = lostAt.get(ms) ?? 0
    lost += missing
    received += 25
    worst.look(ms, received, lost)
  }
  assert.deepEqual(worst.found, { at: at(9_000), durationMs: 3_000, lossPercent: (90 * 100) / (150 + 90) })
})

test('a gap counts from before it until the next packet', () => {
  const worst = new WorstStretch()
  worst.look(0, 100, 0)
  for (let ms = 500; ms < 8_000; ms += 500) worst.look(ms, 100, 0)
  worst.look(8_000, 101, 399)
  assert.deepEqual(worst.found, { at: at(0), durationMs: 8_000, lossPercent: 99.75 })
})

test('finds no stretch without loss or in less than half a second of sound; the end counts', () => {
  const worst = new WorstStretch()
  worst.look(0, 0, 0)
  worst.look(3_000, 150, 0)
  worst.look(6_000, 151, 10)
  assert.equal(worst.found, undefined)
  worst.end(7_000, 191, 20)
  assert.deepEqual(worst.found, { at: at(6_000), durationMs: 1_000, lossPercent: 20 })
})
