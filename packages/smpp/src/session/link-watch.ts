import type { SmppClock } from './session-options.ts'

export interface LinkWatchOptions {
  clock: SmppClock
  enquireMs: number
  /** Asks the far end whether it is there; false: no answer. */
  enquire: () => Promise<boolean>
  dead: () => void
}

/** Asks a far end that says nothing whether it is still there. */
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

  /** There is a doubt. */
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
    if (this.#watching) this.#cancel = this.#options.clock.after(ms, () => this.#look())
  }

  #look(): void {
    const quietMs = this.#options.clock.now() - this.#heardAt
    if (quietMs >= this.#options.enquireMs) void this.check()
    else this.#wait(this.#options.enquireMs - quietMs)
  }
}
