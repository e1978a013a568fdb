/**
 * One event on its way to an endpoint, and whether the session still waits for the reply. It may stop waiting, but only once the event is
 * sent: before that, the event could be lost, or overtaken by the next one.
 */
export class EventDelivery {
  readonly #signal: AbortSignal
  readonly #left = Promise.withResolvers<never>()
  #onWire = false
  #detached = false
  #ended = false

  constructor(signal: AbortSignal) {
    this.#signal = signal
    this.#left.promise.catch(() => {})
    signal.addEventListener('abort', this.#check)
  }

  /** The session does not wait for the reply any more. */
  get detached(): boolean {
    return this.#detached
  }

  /** Another attempt begins: it must be sent, too, or the next event could overtake it. */
  retry(): void {
    this.#onWire = false
  }

  readonly wired = (): void => {
    this.#onWire = true
    this.#check()
  }

  /** Whichever comes first: the reply, or that the session does not wait for it any more. */
  async until<T>(reply: Promise<T>): Promise<T> {
    try {
      return await Promise.race([reply, this.#left.promise])
    } finally {
      this.#ended = true
      this.#signal.removeEventListener('abort', this.#check)
    }
  }

  readonly #check = (): void => {
    if (this.#ended || !this.#onWire || !this.#signal.aborted) return
    this.#detached = true
    this.#left.reject(this.#signal.reason)
  }
}
