import { randomUUID } from 'node:crypto'
import type { LegEnd, LegObserver } from '#core/kernel/ports/telephony.ts'

export interface LegLifeOptions {
  /** Its id on another node. */
  id?: string | undefined
  /** Releases the leg's resources; called once, at its end. */
  release: () => Promise<void>
  /** An observer threw, or a release failed. */
  onFailure: (error: unknown) => void
}

/** Common part of all legs: answered at most once, ends once, and notifies its observers until then. */
export class LegLife {
  readonly id: string
  /** Resolves with the first end. */
  readonly ended: Promise<LegEnd>
  /** Stays true after the end. */
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

  /** Neither answered nor ended. */
  get pending(): boolean {
    return !this.answered && !this.#ended
  }

  observe(observer: LegObserver): () => void {
    this.#observers.add(observer)
    return () => void this.#observers.delete(observer)
  }

  /** Whether any observer handles this event. */
  isObserved(event: keyof LegObserver): boolean {
    return [...this.#observers].some((observer) => event in observer)
  }

  /** An error of an observer does not affect the leg. */
  notify(event: (observer: LegObserver) => void): void {
    for (const observer of this.#observers) {
      try {
        event(observer)
      } catch (error) {
        this.#options.onFailure(error)
      }
    }
  }

  /** A key; `sounded`: it came in-band. */
  pressed(digit: string, { sounded }: { sounded: boolean }): void {
    this.notify((observer) => {
      observer.dtmf?.(digit)
      if (!sounded) observer.dtmfSignalled?.(digit)
    })
  }

  /** False if it had already ended. */
  end(end: LegEnd): boolean {
    if (this.#ended) return false
    this.#ended = true
    this.#observers.clear()
    this.#resolveEnded(end)
    this.#options.release().catch(this.#options.onFailure)
    return true
  }
}
