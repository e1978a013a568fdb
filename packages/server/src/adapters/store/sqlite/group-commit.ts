import type { DatabaseSync } from 'node:sqlite'
import { performance } from 'node:perf_hooks'
import type { Checkpoints } from './checkpoints.ts'
import { toStoreError } from './sqlite-errors.ts'

interface Waiting {
  run: () => Promise<() => void>
  fail: (error: unknown) => void
  /** It cannot be withdrawn any more. */
  begun?: () => void
}

export interface GroupCommitDeps {
  database: DatabaseSync
  /** Brings what is committed to the disk, beside everything else. */
  flush: () => Promise<void>
  checkpoints: Pick<Checkpoints, 'committed' | 'inFront' | 'complete'>
  /** A busy database commits at most once in this time … */
  windowMs: number
  /** … and what may wait is committed with others, or after this time. */
  timeoutMs: number
}

/**
 * Puts the transactions of many callers into one commit, because a commit that survives a power cut costs a flush to the disk.
 * An idle database commits at once; a busy one at most once per `windowMs`. Each caller's part stands in its own savepoint, so one
 * that fails does not affect the others, and each is answered only after the common commit is on the disk.
 */
export class GroupCommit {
  readonly #deps: GroupCommitDeps
  #waiting: Waiting[] = []
  #scheduled = false
  #patience: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()
  #lastCommit = 0
  /** A flush has failed: what was committed before may not be on the disk. */
  #suspect = false

  constructor(deps: GroupCommitDeps) {
    this.#deps = deps
  }

  /** `patient`: waits for others to be committed with, and is withdrawn when the signal aborts before it has begun. */
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

  /** Resolves when every transaction until now is on disk, or has failed. */
  async drain(): Promise<void> {
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
   * After a failed flush the system may take what it could not write for written: a later flush proves nothing about it. A checkpoint brings
   * everything to the disk in another place; before that nothing is acknowledged.
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
      // When the disk is full, SQLite rolls everything back by itself: then the others are not written either.
      if (!database.isTransaction) throw error
      database.exec('rollback to part')
      database.exec('release part')
      fail(toStoreError(error))
    }
  }
}
