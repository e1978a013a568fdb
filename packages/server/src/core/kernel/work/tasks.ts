/** Short pieces of work with the database that are under way, so that it can be known when none is. */
export class Tasks {
  readonly #running = new Set<Promise<unknown>>()

  /** Gives the task back, for callers that await it. */
  track<T>(task: Promise<T>): Promise<T> {
    const running: Promise<unknown> = task.catch(() => undefined).finally(() => this.#running.delete(running))
    this.#running.add(running)
    return task
  }

  /** Nothing runs, also not what was begun by what ran. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }
}
