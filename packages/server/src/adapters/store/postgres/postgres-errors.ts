import { StoreFull, StoreUnavailable, UniqueViolation } from '#core/kernel/ports/store/index.ts'

/** Made by us, because nothing came back in time. */
export class NoAnswerInTime extends Error {
  constructor(ms: number) {
    super(`PostgreSQL did not answer within ${ms} ms`)
    this.name = 'NoAnswerInTime'
  }
}

export const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

/**
 * The connection was lost on the way: by the network, because PostgreSQL was stopped (57P01 to 57P03), because we stood still (25P03), or because a
 * pooler in front of it had none left (class 08).
 */
export const isBroken = (error: unknown): boolean =>
  /^(ECONNRESET|EPIPE|57P0[1-3]|25P03|08...)$/.test(String(codeOf(error))) ||
  /^Connection terminated|not queryable$|^Query read timeout$/.test((error as Error).message)

/** The same, as the core knows it. */
export const unavailable = (error: unknown): StoreUnavailable => (error instanceof StoreUnavailable ? error : new StoreUnavailable(error))

/** What became of a transaction, as the core knows it. */
export const toStoreError = (error: unknown): unknown => {
  const code = codeOf(error)
  if (code === '23505') return new UniqueViolation(error)
  if (code === '53100') return new StoreFull(error)
  return isBroken(error) ? unavailable(error) : error
}
