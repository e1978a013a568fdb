import type { Clock } from '#core/kernel/ports/clock.ts'
import { SpeechUnavailable } from '#core/kernel/ports/speech.ts'

/** Ends a request when it is aborted, or when a wait takes too long. The first reason counts. */
export class TimeLimit {
  /** For what has to stop then. */
  readonly signal: AbortSignal
  readonly #clock: Clock
  readonly #asker: AbortSignal
  readonly #stop = new AbortController()
  readonly #stopped = Promise.withResolvers<never>()
  readonly #giveUp: () => void
  #why: unknown

  constructor(clock: Clock, asker: AbortSignal) {
    asker.throwIfAborted()
    this.#clock = clock
    this.#asker = asker
    this.signal = this.#stop.signal
    this.#stopped.promise.catch(() => {})
    this.#giveUp = () => this.#ended(asker.reason)
    asker.addEventListener('abort', this.#giveUp, { once: true })
  }

  /** What stops is not always quick to tell (undici heeds a signal only once it is connected), so this does not wait for it. */
  async wait<T>(work: Promise<T>, ms: number, tooLate: () => Error): Promise<T> {
    work.catch(() => {})
    const cancel = this.#clock.after(ms, () => this.#ended(tooLate()))
    try {
      return await Promise.race([this.#stopped.promise, work])
    } finally {
      cancel()
    }
  }

  /** Why it ended: the asker's reason or our own, and if neither, what `broken` makes of the error. */
  explain(error: unknown, broken: (error: unknown) => Error): unknown {
    return this.#why ?? (error instanceof SpeechUnavailable ? error : broken(error))
  }

  /** Nothing more is to come of it. */
  end(): void {
    this.#asker.removeEventListener('abort', this.#giveUp)
    this.#stop.abort()
  }

  #ended(reason: unknown): void {
    this.#why ??= reason
    this.#stopped.reject(reason)
    this.#stop.abort(reason)
  }
}
