import type { RecordingFiles } from '#core/kernel/ports/files.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { settleOrphans } from '#core/telephone/recordings/recording-sweep.ts'

interface OwnSweepDeps {
  store: Store
  wallClock: Clock
  files: RecordingFiles
  onFailure: (error: unknown) => void
}

const dayMs = 24 * 3_600_000

/** Erases what was erased while this node was away, at its start and daily: without a shared store no other node can. */
export class OwnSweep {
  readonly #deps: OwnSweepDeps
  #running: Promise<void> = Promise.resolve()
  #cancelTimer: () => void = () => {}
  #closed = false

  constructor(deps: OwnSweepDeps) {
    this.#deps = deps
  }

  start(): void {
    if (this.#closed) return
    this.#running = settleOrphans(this.#deps).catch(this.#deps.onFailure)
    this.#cancelTimer = this.#deps.wallClock.after(dayMs, () => this.start())
  }

  idle(): Promise<void> {
    return this.#running
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancelTimer()
    await this.#running
  }
}
