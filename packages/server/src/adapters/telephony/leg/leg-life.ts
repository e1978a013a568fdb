import { randomUUID } from 'node:crypto'
import type { LegEnd, LegObserver } from '#core/kernel/ports/telephony.ts'

export interface LegLifeOptions {
  /** The one that it had in another process. */
  id?: string | undefined
  /** Gives back what the leg used; called once, when it is over. */
  release: () => Promise<void>
  /** An observer threw, or something could not be released. */
  onFailure: (error: unknown) => void
}

/** What every leg has in common: it is answered at most once, ends once, and tells its observers until then. */
export class LegLife {
  readonly id: string
  /** Resolves with the first thing that ended it. */
  readonly ended: Promise<LegEnd>
  /** Stays true when it is over. */
  answered = false
  readonly #options: LegLifeOptions
  readonly #observers = new Set<LegObserver>()
  readonly #resolveEnded: (end: LegEnd) => void
  #ended = false

  constructor(options: LegLifeOptions) {
    this.#options = options
    this.id = options.id ?? randomUUID()
    const { promise, resolve } = Promise.withResolvers<LegEnd>()
    this.ended = promise
    this.#resolveEnded = resolve
  }

  get over(): boolean {
    return this.#ended
  }

  /** Neither answered nor over. */
  get pending(): boolean {
    return !this.answered && !this.#ended
  }

  observe(observer: LegObserver): () => void {
    this.#observers.add(observer)
    return () => void this.#observers.delete(observer)
  }

  /** Whether an observer wants to be told of this. */
  isObserved(event: keyof LegObserver): boolean {
    return [...this.#observers].some((observer) => event in observer)
  }

  /** A fault of one observer is no fault of the leg. */
  notify(event: (observer: LegObserver) => void): void {
    for (const observer of this.#observers) {
      try {
        event(observer)
      } catch (error) {
        this.#options.onFailure(error)
      }
    }
  }

  /** A key; `sounded`: it came as a tone in the audio. */
  pressed(digit: string, { sounded }: { sounded: boolean }): void {
    this.notify((observer) => {
      observer.dtmf?.(digit)
      if (!sounded) observer.dtmfSignalled?.(digit)
    })
  }

  /** False when it was over before. */
  end(end: LegEnd): boolean {
    if (this.#ended) return false
    this.#ended = true
    this.#observers.clear()
    this.#resolveEnded(end)
    this.#options.release().catch(this.#options.onFailure)
    return true
  }
}
