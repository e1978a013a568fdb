/**
 * One event on its way, and whether anybody still waits for the answer. Whoever waits may leave, but only once the event is on the wire:
 * before, it could be lost, or overtaken by the next one.
 */
export class EventDelivery {
  readonly #signal: AbortSignal
  readonly #left = Promise.withResolvers<never>()
  #onWire = false
  #detached = false
  #over = false

  constructor(signal: AbortSignal) {
    this.#signal = signal
    this.#left.promise.catch(() => {})
    signal.addEventListener('abort', this.#check)
  }

  /** Nobody waits any more. */
  get detached(): boolean {
    return this.#detached
  }

  /** Another attempt begins: it must be on the wire too, or the next event could come before it. */
  tryAgain(): void {
    this.#onWire = false
  }

  readonly wired = (): void => {
    this.#onWire = true
    this.#check()
  }

  /** What comes first: the answer, or that nobody waits for it. */
  async until<T>(reply: Promise<T>): Promise<T> {
    try {
      return await Promise.race([reply, this.#left.promise])
    } finally {
      this.#over = true
      this.#signal.removeEventListener('abort', this.#check)
    }
  }

  readonly #check = (): void => {
    if (this.#over || !this.#onWire || !this.#signal.aborted) return
    this.#detached = true
    this.#left.reject(this.#signal.reason)
  }
}
