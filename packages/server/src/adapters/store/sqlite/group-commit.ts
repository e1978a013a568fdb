import type { DatabaseSync } from 'node:sqlite'
import { performance } from 'node:perf_hooks'
import type { Checkpoints } from './checkpoints.ts'
import { toStoreError } from './sqlite-driver.ts'

interface Waiting {
  run: () => Promise<() => void>
  fail: (error: unknown) => void
  /** Past the point of rollback. */
  begun?: () => void
}

interface GroupCommitDeps {
  database: DatabaseSync
  /** Flushes the WAL in the thread pool. */
  flush: () => Promise<void>
  checkpoints: Pick<Checkpoints, 'committed' | 'inFront' | 'complete'>
  /** Minimum milliseconds between two commits of a busy database. */
  windowMs: number
  /** Maximum milliseconds that a deferrable write waits to be committed with others. */
  timeoutMs: number
}

/**
 * Groups transactions of many callers into one commit, because a durable commit costs a flush to the disk. An idle database commits
 * immediately; a busy one at most once per `windowMs`. Each caller has its own savepoint, so a failing one does not affect the others, and
 * each is answered only after the common commit is on disk.
 */
export class GroupCommit {
  readonly #deps: GroupCommitDeps
  #waiting: Waiting[] = []
  #scheduled = false
  #patience: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()
  #lastCommit = 0
  /** Pending while `alone` runs. */
  #alone: Promise<void> | undefined
  /** A flush has failed: earlier commits may not be on disk. */
  #suspect = false

  constructor(deps: GroupCommitDeps) {
    this.#deps = deps
  }

  /** `patient`: waits to be committed with others, and is withdrawn when the signal aborts before it has begun. */
  write<T>(work: () => Promise<T>, patient?: AbortSignal): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const run = async (): Promise<() => void> => {
        const value = await work()
        return () => resolve(value)
      }
      const waiting: Waiting = { run, fail: reject }
      this.#waiting.push(waiting)
      if (patient) this.#letWait(waiting, patient)
      else this.#schedule()
    })
  }

  /** Runs the work while no transaction is active. Later transactions wait without blocking the event loop. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    while (this.#alone) await this.#alone
    const ended = Promise.withResolvers<void>()
    this.#alone = ended.promise
    try {
      await this.#running
      return await work()
    } finally {
      this.#alone = undefined
      ended.resolve()
    }
  }

  /** Resolves when every transaction so far is on disk, or has failed. */
  async drain(): Promise<void> {
    await this.#alone
    while (this.#scheduled || this.#waiting.length > 0) {
      this.#schedule()
      await new Promise((resolve) => setImmediate(resolve))
      await this.#running
    }
  }

  #letWait(waiting: Waiting, patient: AbortSignal): void {
    const withdraw = (): void => {
      const place = this.#waiting.indexOf(waiting)
      if (place < 0) return
      this.#waiting.splice(place, 1)
      waiting.fail(patient.reason)
    }
    if (patient.aborted) return withdraw()
    patient.addEventListener('abort', withdraw)
    waiting.begun = () => patient.removeEventListener('abort', withdraw)
    this.#patience ??= setTimeout(() => this.#schedule(), this.#deps.timeoutMs)
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    const start = (): void => {
      this.#running = this.#commitAll()
    }
    const wait = this.#deps.windowMs - (performance.now() - this.#lastCommit)
    if (wait > 0) setTimeout(start, wait)
    else setImmediate(start)
  }

  async #commitAll(): Promise<void> {
    await this.#alone
    clearTimeout(this.#patience)
    this.#patience = undefined
    const batch = this.#waiting.splice(0)
    for (const { begun } of batch) begun?.()
    if (batch.length > 0) await this.#commit(batch)
    this.#scheduled = false
    if (this.#waiting.length > 0) this.#schedule()
  }

  async #commit(batch: readonly Waiting[]): Promise<void> {
    const { database, checkpoints } = this.#deps
    const committed: (() => void)[] = []
    try {
      await checkpoints.inFront()
      if (this.#suspect) await this.#settleDoubt()
      database.exec('begin immediate')
      const [only, ...others] = batch
      if (only && others.length === 0) committed.push(await only.run())
      else for (const waiting of batch) await this.#runOne(waiting, committed)
      database.exec('commit')
      this.#lastCommit = performance.now()
      checkpoints.committed()
      await this.#flush()
      for (const resolve of committed) resolve()
    } catch (error) {
      if (database.isTransaction) database.exec('rollback')
      const known = toStoreError(error)
      for (const { fail } of batch) fail(known)
    }
  }

  async #flush(): Promise<void> {
    try {
      await this.#deps.flush()
    } catch (error) {
      this.#suspect = true
      throw error
    }
  }

  /**
   * After a failed flush the system may treat unwritten data as written: a later flush proves nothing about it. A checkpoint writes
   * everything to another place on the disk; until then no write is acknowledged.
   */
  async #settleDoubt(): Promise<void> {
    await this.#deps.checkpoints.complete()
    this.#suspect = false
  }

  async #runOne({ run, fail }: Waiting, committed: (() => void)[]): Promise<void> {
    const { database } = this.#deps
    database.exec('savepoint part')
    try {
      committed.push(await run())
      database.exec('release part')
    } catch (error) {
      // On a full disk SQLite rolls everything back by itself: then the others are not written either.
      if (!database.isTransaction) throw error
      database.exec('rollback to part')
      database.exec('release part')
      fail(toStoreError(error))
    }
  }
}
