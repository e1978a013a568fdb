/** Splits long work on the main thread into slices that yield to the event loop, so that calls and other requests run in between. */
export class Slices {
  readonly #breathe: () => Promise<void>
  readonly #budget: number
  #spent = 0

  /** `breathe`: resolves in the next turn of the event loop. `budget`: cost of a slice, in the unit of `spend`. */
  constructor(breathe: () => Promise<void>, budget: number) {
    this.#breathe = breathe
    this.#budget = budget
  }

  /** Returns a promise at the end of a slice; await it. */
  spend(cost: number): Promise<void> | undefined {
    this.#spent += cost
    if (this.#spent < this.#budget) return undefined
    this.#spent = 0
    return this.#breathe()
  }
}
