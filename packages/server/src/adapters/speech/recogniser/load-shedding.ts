import type { Engine } from './engine-choice.ts'

/** Milliseconds that a question takes on one quiet core, constant and per second of sound (`bench conversation`). */
const costs: Readonly<Record<Engine, { ms: number; msPerSecond: number }>> = {
  'moonshine-tiny': { ms: 20, msPerSecond: 40 },
  'moonshine-base': { ms: 30, msPerSecond: 60 },
  'whisper-base': { ms: 350, msPerSecond: 40 },
  'whisper-small': { ms: 900, msPerSecond: 130 },
}

/** Delay in milliseconds that better words are worth: of this answer until now, or of the last one that waits if all keep the larger model. */
const maxDelayMs = 300
/** The same for a second answer: the pause that ends a turn lasts at least as long. */
const maxSecondMs = 400
/** Samples at 8 kHz up to which the smaller model saves little and mishears a lot: single words, digits, names. */
const shortSound = 16_000
/** Milliseconds without the quicker model before its end is logged. */
const cooldownMs = 10_000
/** Weight of the newest answer in the speed of this machine. */
const newest = 0.2
const speedLimits = { min: 0.3, most: 10 }

/** A question with the larger model. */
export interface Waiting {
  engine: Engine
  /** Number at 8 kHz. */
  samples: number
}

interface About extends Waiting {
  quick: Engine
  askedAt: number
  /** Never the quicker model: the caller was asked for a number, a name, or one of a few words. */
  precise: boolean
}

/** Decides for each question whether the load requires the quicker model. Times are milliseconds of one clock. */
export class LoadShedding {
  readonly #now: () => number
  readonly #changed: (active: boolean) => void
  #active = false
  /** Last time the quicker model was chosen. */
  #shedAt = 0
  /** Measured time as a multiple of `costs`. */
  #slowness = 1

  constructor(now: () => number, changed: (active: boolean) => void) {
    this.#now = now
    this.#changed = changed
  }

  /** Whether the quicker model should answer now, while `behind` wait for one of so many threads. */
  requires({ engine, quick, samples, precise, askedAt }: About, behind: readonly Waiting[], threads: number): boolean {
    this.#coolDown()
    if (precise || samples <= shortSound) return false
    const saved = [...behind, { engine, samples }].map((one) => this.#ms(one) - this.#ms({ ...one, engine: quick }))
    const behindMs = saved.reduce((sum, ms) => sum + ms, 0) / threads
    if (Math.max(this.#now() - askedAt, behindMs) <= maxDelayMs) return false
    this.#shedAt = this.#now()
    this.#become(true)
    return true
  }

  /** Whether a second answer would come early enough, after all who wait. */
  hasTimeFor(again: Waiting, before: readonly Waiting[], threads: number): boolean {
    return before.reduce((sum, one) => sum + this.#ms(one), 0) / threads + this.#ms(again) <= maxSecondMs
  }

  /** An answer took this long. */
  took(ms: number, { engine, samples }: Waiting): void {
    const slowness = ms / quietMs({ engine, samples })
    const next = (1 - newest) * this.#slowness + newest * Math.min(slowness, speedLimits.most)
    this.#slowness = Math.max(speedLimits.min, next)
  }

  #ms(question: Waiting): number {
    return this.#slowness * quietMs(question)
  }

  #coolDown(): void {
    if (this.#active && this.#now() - this.#shedAt >= cooldownMs) this.#become(false)
  }

  #become(active: boolean): void {
    if (this.#active === active) return
    this.#active = active
    this.#changed(active)
  }
}

const quietMs = ({ engine, samples }: Waiting): number => costs[engine].ms + (costs[engine].msPerSecond * samples) / 8000
