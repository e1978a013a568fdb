import type { Clock } from '../ports/clock.ts'

/** Resolves after that time, or as soon as the signal is aborted. */
export const sleep = (clock: Clock, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const wake = (): void => {
      cancel()
      signal.removeEventListener('abort', wake)
      resolve()
    }
    const cancel = clock.after(ms, wake)
    signal.addEventListener('abort', wake)
  })
