import type { LoadReadings } from '#core/operate/overload/load-pressure.ts'
import type { Media } from '#media/engine.ts'
import { busyShares } from './process-samples.ts'

/** What the machine is busy with: its parts are set as they are opened, and read from then on. */
export class LoadSources implements LoadReadings {
  soundEngine: Pick<Media, 'ticks' | 'lateTicks'> | undefined
  recogniser: { readonly waitMs: number } | undefined
  /** Connections to the database, and how many wait for one. */
  pool: (() => { size: number; waiting: number }) | undefined
  calls: (() => number) | undefined
  readonly busy = busyShares()
  #turns = 0
  #late = 0
  #accesses = 0
  #accessSeconds = 0

  /** A statement, or a transaction of SQLite, took so long. */
  accessed(seconds: number): void {
    this.#accesses++
    this.#accessSeconds += seconds
  }

  media(): { turns: number; late: number } {
    const { ticks = 0, lateTicks = 0 } = this.soundEngine ?? {}
    const passed = { turns: ticks - this.#turns, late: lateTicks - this.#late }
    this.#turns = ticks
    this.#late = lateTicks
    return passed
  }

  recogniserWaitMs(): number {
    return this.recogniser?.waitMs ?? 0
  }

  databaseMs(): number | undefined {
    if (this.#accesses === 0) return undefined
    const { size = 0, waiting = 0 } = this.pool?.() ?? {}
    const ms = (this.#accessSeconds * 1000 * (1 + waiting / Math.max(1, size))) / this.#accesses
    this.#accesses = 0
    this.#accessSeconds = 0
    return ms
  }
}
