/** What is being found out. Nothing is taken after its signal was aborted; what fails before is told. */
export class Questions {
  readonly #open = new Set<Promise<void>>()
  readonly #failed: (error: Error) => void

  constructor(failed: (error: Error) => void) {
    this.#failed = failed
  }

  take<T>(answer: Promise<T>, signal: AbortSignal, take: (answer: T) => void): void {
    const question = answer
      .then((given) => {
        if (!signal.aborted) take(given)
      })
      .catch((error: unknown) => {
        if (!signal.aborted) this.#failed(error instanceof Error ? error : new Error(String(error)))
      })
      .finally(() => this.#open.delete(question))
    this.#open.add(question)
  }

  /** Resolves when everything that was asked is answered, or given up. */
  async done(): Promise<void> {
    await Promise.all(this.#open)
  }
}
