import { randomUUID } from 'node:crypto'
import type { Bus, Clock } from '../ports/platform.ts'

interface CacheResetsDeps {
  bus: Bus
  clock: Pick<Clock, 'now'>
  /** Time of the latest erasure of a person, by any node. */
  lastErasureAt: () => Promise<number | undefined>
  onError: (error: unknown) => void
}

const subject = 'caches.reset'
/** Allowed clock skew between nodes. */
const skewMs = 60_000

/**
 * Empties caches whose keys do not identify persons after a person was erased: in this process and, over the bus, in all others. A
 * process cut off from the bus does it on reconnect; one that was down has lost its memory and compares its files with the erasure
 * journal at startup.
 */
export class CacheResets {
  readonly #deps: CacheResetsDeps
  readonly #self = randomUUID()
  readonly #resets: (() => Promise<void> | void)[] = []
  readonly #leave: (() => void)[]
  #awaySince: number

  constructor(deps: CacheResetsDeps) {
    const { bus, clock, onError } = deps
    this.#deps = deps
    this.#awaySince = clock.now()
    this.#leave = [
      bus.hear(subject, (from) => {
        if (from !== this.#self) this.#resetHere().catch(onError)
      }),
      bus.onConnection((connected) => {
        if (connected) this.#catchUp().catch(onError)
        else this.#awaySince = clock.now()
      }),
    ]
  }

  /** `reset` rejects if something could not be removed. */
  add(reset: () => Promise<void> | void): void {
    this.#resets.push(reset)
  }

  async reset(): Promise<void> {
    this.#deps.bus.notify(subject, this.#self)
    await this.#resetHere()
  }

  close(): Promise<void> {
    for (const leave of this.#leave) leave()
    return Promise.resolve()
  }

  async #catchUp(): Promise<void> {
    const erasedAt = await this.#deps.lastErasureAt()
    if (erasedAt !== undefined && erasedAt >= this.#awaySince - skewMs) await this.#resetHere()
  }

  async #resetHere(): Promise<void> {
    for (const reset of this.#resets) await reset()
  }
}
