import { StoreFull, StoreUnavailable, UniqueViolation } from '#core/kernel/ports/store/index.ts'

/** Our own timeout. */
export class NoAnswerInTime extends Error {
  constructor(ms: number) {
    super(`PostgreSQL did not answer within ${ms} ms`)
    this.name = 'NoAnswerInTime'
  }
}

export const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

/**
 * The connection was lost: by the network, because PostgreSQL was stopped (57P01 to 57P03), because we stalled (25P03), or because a pooler
 * in front of it had none left (class 08).
 */
export const isBroken = (error: unknown): boolean =>
  /^(ECONNRESET|EPIPE|57P0[1-3]|25P03|08...)$/.test(String(codeOf(error))) ||
  /^Connection terminated|not queryable$|^Query read timeout$/.test((error as Error).message)

/** Converts it to the core's error. */
export const unavailable = (error: unknown): StoreUnavailable => (error instanceof StoreUnavailable ? error : new StoreUnavailable(error))

/** Converts the error of a transaction to the core's error. */
export const toStoreError = (error: unknown): unknown => {
  const code = codeOf(error)
  if (code === '23505') return new UniqueViolation(error)
  if (code === '53100') return new StoreFull(error)
  return isBroken(error) ? unavailable(error) : error
}

const attempts = 5

/** PostgreSQL requires a retry after deadlocks and serialization failures; the failed attempt leaves no changes. */
export const retryLostRaces = async <T>(run: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (!isLostRace(error) || attempt === attempts) throw error
    }
  }
}

/** A wrapping error has it as its cause. */
const isLostRace = (error: unknown): boolean =>
  error instanceof Error && (/^(40001|40P01)$/.test(String(codeOf(error))) || isLostRace(error.cause))
