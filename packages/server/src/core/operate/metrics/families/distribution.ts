/** Distribution of values, as shown by a histogram. */
export interface Distribution {
  readonly count: number
  readonly sum: number
  /** Number of values up to one of the bounds. */
  upTo(bound: number): number
}

/** Counts values by predefined bounds. */
export class Histogram implements Distribution {
  readonly #bounds: readonly number[]
  /** By bound; the last one counts values above all bounds. */
  readonly #counts: Float64Array
  #count = 0
  #sum = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = new Float64Array(bounds.length + 1)
  }

  get count(): number {
    return this.#count
  }

  get sum(): number {
    return this.#sum
  }

  add(value: number): void {
    let at = 0
    while (at < this.#bounds.length && value > (this.#bounds[at] ?? Infinity)) at++
    this.#counts[at] = (this.#counts[at] ?? 0) + 1
    this.#count++
    this.#sum += value
  }

  upTo(bound: number): number {
    return this.#bounds.reduce((sum, one, at) => (one <= bound ? sum + (this.#counts[at] ?? 0) : sum), 0)
  }
}

/** Counts by label value, for few distinct values. */
export class Tally {
  readonly #counts = new Map<string, number>()

  add(word: string, count = 1): void {
    this.#counts.set(word, (this.#counts.get(word) ?? 0) + count)
  }

  get entries(): [word: string, count: number][] {
    return [...this.#counts]
  }
}
