/** Work started by a call and not awaited immediately. */
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

  /** Includes work started while waiting. */
  async done(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }
}
