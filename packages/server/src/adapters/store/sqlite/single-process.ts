import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/** Another process uses the same database file. */
class DatabaseInUse extends Error {
  readonly code = 'DATABASE_IN_USE'

  constructor(file: string) {
    super(`another process is using ${file}; is Offhook running there already?`)
    this.name = 'DatabaseInUse'
  }
}

const busy = 5 // SQLITE_BUSY

/**
 * Keeps a second process away from a database file until the returned function is called: their caches would be wrong. The lock is
 * SQLite's, on an empty companion file, so the system releases it however the process ends.
 */
export const claimFile = (file: string): (() => void) => {
  const beside = `${file}.lock`
  createPrivate(beside)
  const lock = new DatabaseSync(beside, { timeout: 0 })
  try {
    lock.exec('pragma journal_mode = memory; begin exclusive')
  } catch (error) {
    lock.close()
    throw (error as { errcode?: number }).errcode === busy ? new DatabaseInUse(file) : error
  }
  return () => lock.close()
}

/**
 * Creates an empty file that only its owner can read, if it does not exist: SQLite would create it with default permissions. An existing
 * one is not even opened, because closing it would release this process's locks on it.
 */
export const createPrivate = (file: string): void => {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
