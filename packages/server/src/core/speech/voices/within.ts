import type { Clock } from '#core/kernel/ports/clock.ts'

/** What `work` gives, unless it takes longer or is not wanted any more; then its signal is aborted, and nobody waits for it. */
export const within = async <T>(clock: Clock, ms: number, wanted: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  wanted.throwIfAborted()
  const stop = new AbortController()
  const { promise: given, reject } = Promise.withResolvers<never>()
  const giveUp = (reason: unknown): void => {
    stop.abort(reason)
    reject(reason)
  }
  const unwanted = (): void => giveUp(wanted.reason)
  wanted.addEventListener('abort', unwanted)
  const cancel = clock.after(ms, () => giveUp(new Error(`nothing came within ${ms} ms`)))
  try {
    return await Promise.race([work(stop.signal), given])
  } finally {
    cancel()
    wanted.removeEventListener('abort', unwanted)
  }
}

/** Rejects when nobody waits any more. */
export const pause = (clock: Clock, ms: number, wanted: AbortSignal): Promise<void> => {
  const nothing = new Promise<void>(() => {})
  return within(clock, ms, wanted, () => nothing).catch(() => wanted.throwIfAborted())
}
