/**
 * Says that something was put into the outbox or the jobs. It is made before all that writes there, because the workers are built last: they
 * need what they work with, and that in turn wakes them.
 */
export class WorkSignal {
  readonly #listeners: (() => void)[] = []

  readonly wake = (): void => {
    for (const listener of this.#listeners) listener()
  }

  onWake(listener: () => void): void {
    this.#listeners.push(listener)
  }
}
