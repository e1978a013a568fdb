import type { Question } from './long-questions.ts'
import type { WriteAheadLog } from './write-ahead-log.ts'

/** After so many commits. SQLite flushes the log's header when it begins anew, in the way of the first commit after that: the more, the seldomer. */
const everyCommits = 256
/** Sooner when the log has grown by so much: commits may be large. */
const everyBytes = 16 * 1024 * 1024

export interface CheckpointsDeps {
  log: Pick<WriteAheadLog, 'bytes'>
  /** Puts a statement to another connection, beside everything else. */
  ask: (statement: Question) => Promise<object[]>
  /** The other connection has something else to do. */
  isBusy: () => boolean
  /** The other connection cannot: from now on, or not any more, SQLite does it in the way of some commit. */
  inTheWay: (yes: boolean) => void
}

/**
 * Brings what was committed from the log into the database, so that the log can begin anew: on a connection of its own, while others go on committing. What
 * they add meanwhile keeps the log from its beginning; it is little, and one commit waits for it.
 */
export class Checkpoints {
  readonly #deps: CheckpointsDeps
  /** Since the last one began. */
  #commits = 0
  #bytes: number
  #running: Promise<void> | undefined
  #hasRest = false
  #failed = false

  constructor(deps: CheckpointsDeps) {
    this.#deps = deps
    this.#bytes = deps.log.bytes
  }

  /** Something was committed. */
  committed(): void {
    this.#commits += 1
    if (this.#running || this.#hasRest) return
    if (this.#commits < everyCommits && this.#deps.log.bytes < this.#bytes + everyBytes) return
    this.#running = this.#run().then(() => {
      this.#running = undefined
      this.#hasRest = this.#commits > 0
    })
  }

  /** Before a commit begins: what it has to wait for. */
  inFront(): Promise<void> | undefined {
    if (!this.#hasRest || this.#deps.isBusy()) return undefined
    this.#hasRest = false
    return this.#run()
  }

  /** Everything is in the database when it resolves, and on the disk. */
  async complete(): Promise<void> {
    const [result] = await this.#deps.ask({ sql: 'pragma wal_checkpoint(truncate)', parameters: [] })
    if ((result as { busy: number } | undefined)?.busy !== 0) throw new Error('what was written before could not be brought to the disk')
  }

  /** Stops at what somebody still reads, and waits for nobody. */
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
