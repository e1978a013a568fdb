import assert from 'node:assert/strict'
import { test } from 'node:test'
import { broken, settled, slopePerThousand, slopes } from './slopes.ts'

test('reports growth per 1,000 calls', () => {
  const growing = [0, 500, 1000, 1500].map((calls) => ({ calls, value: 200 + calls / 100 }))
  assert.equal(Math.round(slopePerThousand(growing)), 10)
  assert.equal(slopePerThousand([{ calls: 5, value: 1 }]), NaN)
})

test('reports almost no slope for an oscillating value', () => {
  const wavering = Array.from({ length: 40 }, (_, nth) => ({ calls: nth * 100, value: 200 + (nth % 2) }))
  assert.ok(Math.abs(slopePerThousand(wavering)) < 0.05)
})

test('ignores the first quarter', () => {
  const readings = [0, 1, 2, 3, 4, 5, 6, 7].map((nth) => ({ calls: nth * 1000, held: { resident: nth < 2 ? nth * 100 : 200 } }))
  assert.equal(settled(readings).length, 6)
  assert.deepEqual(slopes(settled(readings)), { resident: 0 })
})

test('names exceeded limits and limits without readings', () => {
  assert.deepEqual(broken({ resident: 0.4, timers: 2 }, { resident: 0.5, timers: 1, descriptors: 1 }), [
    'timers grows by 2 with 1,000 calls, limit 1',
    'descriptors was not measured',
  ])
})
