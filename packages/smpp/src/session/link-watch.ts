import type { SmppClock } from './session-options.ts'

export interface LinkWatchOptions {
  clock: SmppClock
  enquireMs: number
  /** Sends enquire_link; false: no response. */
  enquire: () => Promise<boolean>
  dead: () => void
}

/** Sends enquire_link to a far end that has been silent for long. */
export class LinkWatch {
  readonly #options: LinkWatchOptions
  #heardAt = 0
  #watching = false
  #enquiring = false
  #cancel: (() => void) | undefined

  constructor(options: LinkWatchOptions) {
    this.#options = options
  }

  start(): void {
    this.#watching = true
    this.heard()
    this.#wait(this.#options.enquireMs)
  }

  stop(): void {
    this.#watching = false
    this.#cancel?.()
  }

  heard(): void {
    this.#heardAt = this.#options.clock.now()
  }

  /** A response is late: checks the link at once. */
  async check(): Promise<void> {
    if (!this.#watching || this.#enquiring) return
    this.#enquiring = true
    const alive = await this.#options.enquire()
    this.#enquiring = false
    if (!alive) return this.#options.dead()
    this.#wait(this.#options.enquireMs)
  }

  #wait(ms: number): void {
    this.#cancel?.()
    if (this.#watching) this.#cancel = this.#options.clock.after(ms, () => this.#poll())
  }

  #poll(): void {
    const silentMs = this.#options.clock.now() - this.#heardAt
    if (silentMs >= this.#options.enquireMs) void this.check()
    else this.#wait(this.#options.enquireMs - silentMs)
  }
}
