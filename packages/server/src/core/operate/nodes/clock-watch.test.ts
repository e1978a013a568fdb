import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { ClockWatch } from './clock-watch.ts'

test('reports a clock change once with its size, and ignores small corrections', async () => {
  const clock = new VirtualClock()
  const notified: number[] = []
  const watch = new ClockWatch({ clock, intervalMs: 5_000, wasSet: (ms) => notified.push(ms) })
  await clock.advance(20_000)
  clock.set(1_500)
  await clock.advance(20_000)
  assert.deepEqual(notified, [])
  clock.set(7_200_000)
  await clock.advance(20_000)
  clock.set(-7_200_000)
  await clock.advance(20_000)
  assert.deepEqual(notified, [7_201_500, -7_200_000])
  await watch.close()
  assert.equal(clock.pending(), 0)
})
