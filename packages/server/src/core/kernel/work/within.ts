import type { Clock } from '../ports/clock.ts'

interface Failures {
  late: (ms: number) => unknown
  unwanted: (reason: unknown) => unknown
}

const plain: Failures = { late: (ms) => new Error(`nothing came within ${ms} ms`), unwanted: (reason) => reason }

/**
 * What `work` gives. Rejects when that takes longer or is no longer wanted; then the signal of `work` is aborted and its outcome is not
 * awaited. See `atMost` for work that has a substitute.
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
