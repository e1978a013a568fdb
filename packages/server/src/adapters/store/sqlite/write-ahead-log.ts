import { closeSync, fdatasync, fstatSync, openSync } from 'node:fs'
import { promisify } from 'node:util'

const flush = promisify(fdatasync)

/** SQLite's write-ahead log of an open database, as a file of the system. */
export interface WriteAheadLog {
  /** As long as it has ever been since it was opened: SQLite writes from its beginning again. */
  readonly bytes: number
  /** What SQLite has written there is on the disk when it resolves. */
  flush(): Promise<void>
  /** After SQLite has closed the database: whoever closes a file ends the locks that the process has on it. */
  close(): void
}

/**
 * The file stays the same as long as a connection is open: SQLite writes from its beginning again or shortens it, and removes it only with the
 * last connection. A connection with synchronous NORMAL flushes its header when it begins anew, and everything before a checkpoint,
 * so that what is found after a power cut is always whole; that the last commits are there, too, is what `flush` is for.
 */
export const openLogOf = (file: string): WriteAheadLog => {
  const log = openSync(`${file}-wal`, 'r+')
  return {
    get bytes() {
      return fstatSync(log).size
    },
    flush: () => flush(log),
    close: () => closeSync(log),
  }
}
