import type { Clock } from '#core/kernel/ports/clock.ts'

/** Node runs a timer with a longer delay at once, so longer ones are waited for in parts. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1

/** Its timers never keep the process alive: what waits for one also holds a socket or a server open. */
export function realClock(): Clock {
  return { now: () => Date.now(), elapsed: () => Math.round(performance.now()), after: runAfter }
}

function runAfter(ms: number, task: () => void): () => void {
  if (Number.isNaN(ms)) throw new RangeError('A delay must be a number of milliseconds')
  let timer: NodeJS.Timeout
  const wait = (left: number): void => {
    const part = Math.min(Math.max(left, 0), LONGEST_TIMEOUT_MS)
    timer = setTimeout(() => (left > part ? wait(left - part) : task()), part)
    timer.unref()
  }
  wait(ms)
  return () => clearTimeout(timer)
}
