import type { Clock } from '../ports/clock.ts'

/** What `work` gives, or `otherwise` when that takes longer or `hurry` is aborted. */
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
