import type { Clock } from '#core/kernel/ports/clock.ts'

/** Node runs a timer with a longer delay at once, so longer ones are waited for in parts. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1

/** Its timers never keep the process alive: what waits for one also holds a socket or a server open. */
export function realClock(): Clock {
  return { now: () => Date.now(), elapsed: () => Math.round(performance.now()), after: runAfter }
}

function runAfter(ms: number, task: () => void): () => void {
  if (Number.isNaN(ms)) throw new RangeError('A delay must be a number of milliseconds')
  if (ms > LONGEST_TIMEOUT_MS) return runMuchLater(ms, task)
  const timer = setTimeout(task, Math.max(ms, 0)).unref()
  return () => clearTimeout(timer)
}

function runMuchLater(ms: number, task: () => void): () => void {
  let cancel = runAfter(LONGEST_TIMEOUT_MS, () => (cancel = runAfter(ms - LONGEST_TIMEOUT_MS, task)))
  return () => cancel()
}
