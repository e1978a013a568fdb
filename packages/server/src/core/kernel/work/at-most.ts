import type { Clock } from '../ports/clock.ts'

/** What `work` gives, or `otherwise` when that takes longer, or when everybody is in a hurry. */
export const atMost = async <T>(clock: Clock, ms: number, work: Promise<T>, otherwise: T, hurry?: AbortSignal): Promise<T> => {
  const { promise, resolve } = Promise.withResolvers<T>()
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
