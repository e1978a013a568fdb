import { closeSync, fdatasync, fstatSync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Question } from './question.ts'

/**
 * Commits between two checkpoints. SQLite flushes the log's header when the log restarts, which delays the first commit after that: the
 * more commits, the rarer.
 */
const everyCommits = 256
/** Checkpoints earlier after this much log growth: commits may be large. */
const everyBytes = 16 * 1024 * 1024

interface CheckpointsDeps {
  log: Pick<WriteAheadLog, 'bytes'>
  /** Runs a statement on another connection, concurrently. */
  ask: (statement: Question) => Promise<object[]>
  /** The other connection is busy. */
  isBusy: () => boolean
  /** The other connection fails: turns SQLite's own checkpoints within commits on or off. */
  inTheWay: (yes: boolean) => void
}

/**
 * Checkpoints the log into the database, so that the log can restart: on a separate connection, while others continue to commit. Their
 * later commits keep the log from restarting; they are few, and one commit waits for them.
 */
export class Checkpoints {
  readonly #deps: CheckpointsDeps
  /** Commits since the start of the last checkpoint. */
  #commits = 0
  #bytes: number
  #running: Promise<void> | undefined
  #hasRest = false
  #failed = false

  constructor(deps: CheckpointsDeps) {
    this.#deps = deps
    this.#bytes = deps.log.bytes
  }

  /** Called after a commit. */
  committed(): void {
    this.#commits += 1
    if (this.#running || this.#hasRest) return
    if (this.#commits < everyCommits && this.#deps.log.bytes < this.#bytes + everyBytes) return
    this.#running = this.#run().then(() => {
      this.#running = undefined
      this.#hasRest = this.#commits > 0
    })
  }

  /** The checkpoint that a commit has to wait for, if any. */
  inFront(): Promise<void> | undefined {
    if (!this.#hasRest || this.#deps.isBusy()) return undefined
    this.#hasRest = false
    return this.#run()
  }

  /** Resolves when everything is in the database file and on disk. */
  async complete(): Promise<void> {
    const [result] = await this.#deps.ask({ sql: 'pragma wal_checkpoint(truncate)', parameters: [] })
    if ((result as { busy: number } | undefined)?.busy !== 0) throw new Error('what was written before could not be brought to the disk')
  }

  /** Stops at pages that are still being read, and waits for no reader. */
  async #run(): Promise<void> {
    const { ask, log, inTheWay } = this.#deps
    this.#commits = 0
    this.#bytes = log.bytes
    const failed = await ask({ sql: 'pragma wal_checkpoint(passive)', parameters: [] }).then(
      () => false,
      () => true,
    )
    if (failed !== this.#failed) inTheWay(failed)
    this.#failed = failed
  }
}

const flush = promisify(fdatasync)

/** SQLite's write-ahead log of an open database, as a file. */
interface WriteAheadLog {
  /** Maximum length since it was opened: SQLite overwrites it from its beginning. */
  readonly bytes: number
  /** Resolves when everything that SQLite has written to it is on disk. */
  flush(): Promise<void>
  /** Call it after SQLite has closed the database: closing a file releases the process's locks on it. */
  close(): void
}

/**
 * The file stays the same while a connection is open: SQLite overwrites it from its beginning or truncates it, and removes it only with the
 * last connection. A connection with synchronous NORMAL flushes the header when the log restarts, and everything before a checkpoint, so
 * that the state after a power cut is always consistent; `flush` makes the last commits durable, too.
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
