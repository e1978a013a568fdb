/** Work of the same key is done one after the other, in the order in which it came. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Without a key it does not wait. */
  async take<T>(key: string | undefined, work: () => Promise<T>): Promise<T> {
    if (key === undefined) return work()
    const mine = (this.#last.get(key) ?? Promise.resolve()).then(work, work)
    this.#last.set(key, mine)
    try {
      return await mine
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key)
    }
  }
}
