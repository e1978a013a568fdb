import type { LegObserver } from '#core/kernel/ports/telephony.ts'

/** Who is told what happens to a leg. A fault of one of them is no fault of the leg. */
export class LegObservers {
  readonly #observers = new Set<LegObserver>()
  readonly #onFailure: (error: unknown) => void

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure
  }

  add(observer: LegObserver): () => void {
    this.#observers.add(observer)
    return () => void this.#observers.delete(observer)
  }

  /** Somebody wants to be told of this. */
  heed(what: keyof LegObserver): boolean {
    return [...this.#observers].some((observer) => what in observer)
  }

  tell(what: (observer: LegObserver) => void): void {
    for (const observer of this.#observers) {
      try {
        what(observer)
      } catch (error) {
        this.#onFailure(error)
      }
    }
  }

  clear(): void {
    this.#observers.clear()
  }
}
