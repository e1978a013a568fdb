import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/** Another process works on the same database file. */
export class DatabaseInUse extends Error {
  readonly code = 'DATABASE_IN_USE'

  constructor(file: string) {
    super(`another process is using ${file}; is Offhook running there already?`)
    this.name = 'DatabaseInUse'
  }
}

const busy = 5 // SQLITE_BUSY

/**
 * Keeps a second process away from a database file until the returned function is called: what each of them remembers of it would not be
 * true. The lock is one of SQLite's on an empty file beside it, so the system takes it back however the process ends.
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
 * An empty file that only its owner can read, unless it is there already: SQLite would make it as open as everything else. One that is
 * there is not even opened, because closing it again would end the locks that this process has on it.
 */
export const createPrivate = (file: string): void => {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
