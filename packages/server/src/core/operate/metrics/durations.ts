import type { SavedDurations } from '#core/kernel/ports/store/operate/metrics.ts'

/** The steps between a duration and its double: what is read is right to within five percent. */
const steps = 8
/** Longer ones count as this long. */
const maxMs = 600_000

const stepOf = (ms: number): number => (ms < 1 ? 0 : 1 + Math.floor(steps * Math.log2(Math.min(ms, maxMs))))

/** In the middle of its step; what took less than a millisecond took a half. */
const durationOf = (step: number): number => (step === 0 ? 0.5 : 2 ** ((step - 0.5) / steps))

const howMany = stepOf(maxMs) + 1

/** How long many things took, by order of magnitude: small to keep, and those of several processes can be added up. */
export class Durations {
  /** By step. */
  readonly #counts = new Float64Array(howMany)
  #size = 0

  /** How many there were. */
  get size(): number {
    return this.#size
  }

  add(ms: number): void {
    this.#put(stepOf(Math.max(ms, 0)), 1)
  }

  merge(saved: SavedDurations): void {
    for (let at = 0; at < saved.length; at += 2) this.#put(saved[at] ?? 0, saved[at + 1] ?? 0)
  }

  append(other: Durations): void {
    if (other.size > 0) other.#counts.forEach((count, step) => this.#put(step, count))
  }

  saved(): SavedDurations {
    return [...this.#counts].flatMap((count, step) => (count === 0 ? [] : [step, count]))
  }

  /** This part of them, 0 to 1, took no longer. Undefined when there were none. */
  quantile(part: number): number | undefined {
    if (this.#size === 0) return undefined
    let left = Math.max(1, Math.ceil(part * this.#size))
    const step = this.#counts.findIndex((count) => (left -= count) <= 0)
    return rounded(durationOf(step))
  }

  /** How many took no longer than this. */
  within(ms: number): number {
    return this.#counts.reduce((sum, count, step) => (durationOf(step) <= ms ? sum + count : sum), 0)
  }

  /** The sum of all durations, as far as it is known. */
  get totalMs(): number {
    return rounded(this.#counts.reduce((sum, count, step) => sum + durationOf(step) * count, 0))
  }

  #put(step: number, count: number): void {
    this.#counts[step] = (this.#counts[step] ?? 0) + count
    this.#size += count
  }
}

const rounded = (ms: number): number => Math.round(ms * 10) / 10
