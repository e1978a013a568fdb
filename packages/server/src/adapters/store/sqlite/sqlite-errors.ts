import { StoreFull, UniqueViolation } from '#core/kernel/ports/store/index.ts'

const uniqueCodes = [1555, 2067] // SQLITE_CONSTRAINT_PRIMARYKEY, SQLITE_CONSTRAINT_UNIQUE
const fullCodes = [13, 4874] // SQLITE_FULL; SQLITE_IOERR_SHMSIZE: no room for the index of the log

/** Errors of SQLite as those of the store port. */
export const toStoreError = (error: unknown): unknown => {
  const code = error instanceof Error && 'errcode' in error ? (error.errcode as number) : undefined
  if (code === undefined) return error
  if (uniqueCodes.includes(code)) return new UniqueViolation(error)
  return fullCodes.includes(code) ? new StoreFull(error) : error
}
