import type { Clock } from '../ports/platform.ts'

/** Resolves after `ms`, or as soon as the signal is aborted. */
export const sleep = (clock: Clock, ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const wake = (): void => {
      cancel()
      signal?.removeEventListener('abort', wake)
      resolve()
    }
    const cancel = clock.after(ms, wake)
    signal?.addEventListener('abort', wake)
  })

interface Failures {
  late: (ms: number) => unknown
  unwanted: (reason: unknown) => unknown
}

const plain: Failures = { late: (ms) => new Error(`nothing came within ${ms} ms`), unwanted: (reason) => reason }

/**
 * Result of `work`. Rejects if it takes longer or is no longer wanted; then aborts the signal of `work` without awaiting its outcome. See
 * `atMost` for work with a substitute.
 */
export const within = async <T>(
  clock: Pick<Clock, 'after'>,
  ms: number,
  wanted: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
  { late, unwanted }: Failures = plain,
): Promise<T> => {
  if (wanted?.aborted) throw unwanted(wanted.reason)
  const stop = new AbortController()
  const { promise: given, reject } = Promise.withResolvers<never>()
  const giveUp = (reason: unknown): void => {
    stop.abort(reason)
    reject(reason)
  }
  const abandon = (): void => giveUp(unwanted(wanted?.reason))
  wanted?.addEventListener('abort', abandon)
  const cancel = clock.after(ms, () => giveUp(late(ms)))
  try {
    return await Promise.race([work(stop.signal), given])
  } finally {
    cancel()
    wanted?.removeEventListener('abort', abandon)
  }
}

/** Result of `work`, or `otherwise` if it takes longer than `ms` or `hurry` is aborted. */
export const atMost = async <T, O>(clock: Clock, ms: number, work: Promise<T>, otherwise: O, hurry?: AbortSignal): Promise<T | O> => {
  const { promise, resolve } = Promise.withResolvers<O>()
  const giveUp = (): void => resolve(otherwise)
  const cancel = clock.after(ms, giveUp)
  hurry?.addEventListener('abort', giveUp)
  if (hurry?.aborted) giveUp()
  try {
    return await Promise.race([work, promise])
  } finally {
    cancel()
    hurry?.removeEventListener('abort', giveUp)
  }
}

/**
 * Shared abort reason. A signal aborted without a reason creates an error with a stack each time, which costs more than the rest of the
 * abort and is never read.
 */
export const noLongerWanted = new Error('no longer wanted')

/** Waits for the promise; throws the signal's reason if it is aborted first. */
export const stoppableWait = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  signal.throwIfAborted()
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  const stop = (): void => reject(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([stopped, work])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
