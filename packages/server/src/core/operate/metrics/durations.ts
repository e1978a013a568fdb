import type { SavedDurations } from '#core/kernel/ports/store/operate.ts'

/** Steps per doubling: results are accurate to five percent. */
const steps = 8
/** Maximum duration; longer ones are capped. */
const maxMs = 600_000

const stepOf = (ms: number): number => (ms < 1 ? 0 : 1 + Math.floor(steps * Math.log2(Math.min(ms, maxMs))))

/** Middle of the step; durations below one millisecond count as a half. */
const durationOf = (step: number): number => (step === 0 ? 0.5 : 2 ** ((step - 0.5) / steps))

const howMany = stepOf(maxMs) + 1

/** Logarithmic histogram of durations: small to store, and mergeable across processes. */
export class Durations {
  /** By step. */
  readonly #counts = new Float64Array(howMany)
  #size = 0

  /** Number of durations. */
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

  /** Quantile for `part` from 0 to 1. Undefined if empty. */
  quantile(part: number): number | undefined {
    if (this.#size === 0) return undefined
    let left = Math.max(1, Math.ceil(part * this.#size))
    const step = this.#counts.findIndex((count) => (left -= count) <= 0)
    return rounded(durationOf(step))
  }

  /** Number of durations up to `ms`. */
  within(ms: number): number {
    return this.#counts.reduce((sum, count, step) => (durationOf(step) <= ms ? sum + count : sum), 0)
  }

  /** Approximate sum of all durations. */
  get totalMs(): number {
    return rounded(this.#counts.reduce((sum, count, step) => sum + durationOf(step) * count, 0))
  }

  #put(step: number, count: number): void {
    this.#counts[step] = (this.#counts[step] ?? 0) + count
    this.#size += count
  }
}

const rounded = (ms: number): number => Math.round(ms * 10) / 10
