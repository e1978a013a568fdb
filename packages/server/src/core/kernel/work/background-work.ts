/** Work that a call has begun and that is not awaited on the spot. */
export class BackgroundWork {
  readonly #running = new Set<Promise<void>>()
  readonly #onFailure: (error: unknown) => void

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure
  }

  start(work: () => Promise<void>): void {
    const running = Promise.resolve()
      .then(work)
      .catch(this.#onFailure)
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  /** Also those that were begun meanwhile. */
  async done(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }
}
