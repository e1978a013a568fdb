import type { DatabaseSync } from 'node:sqlite'
import { performance } from 'node:perf_hooks'
import { inOurWords } from './sqlite-errors.ts'

interface Waiting {
  run: () => Promise<() => void>
  fail: (error: unknown) => void
}

/**
 * Puts the transactions of many callers into one commit, because a commit that survives a power cut costs a flush to the disk.
 * An idle database commits at once; a busy one at most once per `windowMs`. Each caller's part stands in its own savepoint, so one
 * that fails does not affect the others, and each is answered only after the common commit.
 */
export class GroupCommit {
  readonly #database: DatabaseSync
  readonly #windowMs: number
  #waiting: Waiting[] = []
  #scheduled = false
  #running: Promise<void> = Promise.resolve()
  #lastCommit = 0

  constructor(database: DatabaseSync, windowMs: number) {
    this.#database = database
    this.#windowMs = windowMs
  }

  write<T>(work: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const run = async (): Promise<() => void> => {
        const value = await work()
        return () => resolve(value)
      }
      this.#waiting.push({ run, fail: reject })
      this.#schedule()
    })
  }

  /** Resolves when every transaction until now is on disk, or has failed. */
  async drain(): Promise<void> {
    while (this.#scheduled || this.#waiting.length > 0) {
      await new Promise((resolve) => setImmediate(resolve))
      await this.#running
    }
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    const start = (): void => {
      this.#running = this.#commitAll()
    }
    const wait = this.#windowMs - (performance.now() - this.#lastCommit)
    if (wait > 0) setTimeout(start, wait)
    else setImmediate(start)
  }

  async #commitAll(): Promise<void> {
    const batch = this.#waiting.splice(0)
    const committed: (() => void)[] = []
    try {
      this.#database.exec('begin immediate')
      for (const waiting of batch) await this.#runOne(waiting, committed)
      this.#database.exec('commit')
      for (const resolve of committed) resolve()
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('rollback')
      const known = inOurWords(error)
      for (const { fail } of batch) fail(known)
    }
    this.#lastCommit = performance.now()
    this.#scheduled = false
    if (this.#waiting.length > 0) this.#schedule()
  }

  async #runOne({ run, fail }: Waiting, committed: (() => void)[]): Promise<void> {
    this.#database.exec('savepoint part')
    try {
      committed.push(await run())
      this.#database.exec('release part')
    } catch (error) {
      // When the disk is full, SQLite rolls everything back by itself: then the others are not written either.
      if (!this.#database.isTransaction) throw error
      this.#database.exec('rollback to part')
      this.#database.exec('release part')
      fail(inOurWords(error))
    }
  }
}
