import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recentRestarts, restartDelayMs } from './watchdog-restarts.ts'

const now = 1_700_000_000_000
const restartedAt = (...minutesAgo: number[]): NodeJS.ProcessEnv => ({
  STUCK_RESTARTS: minutesAgo.map((minutes) => now - minutes * 60_000).join(),
})

test('delays the start of a service that gets stuck again and again', () => {
  const delays = [{}, restartedAt(0), restartedAt(1, 0), restartedAt(2, 1, 0), restartedAt(9, 8, 7, 6, 5, 4, 3, 2, 1, 0)]
  assert.deepEqual(
    delays.map((env) => restartDelayMs(env, now)),
    [0, 0, 2_000, 4_000, 60_000],
  )
})

test('ignores restarts of more than ten minutes ago, and anything that is no time', () => {
  assert.deepEqual(recentRestarts({ STUCK_RESTARTS: `x,,-1,${now - 700_000},${now - 1}` }, now), [now - 1])
})
