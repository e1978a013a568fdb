/** Observers by name, called when the named object changes. */
export class Watchers {
  readonly #all = new Map<string, Set<() => void>>()

  /** Returns the function that stops watching. */
  watch(name: string, changed: () => void): () => void {
    const those = this.#all.get(name) ?? new Set()
    this.#all.set(name, those.add(changed))
    return () => {
      those.delete(changed)
      if (those.size === 0 && this.#all.get(name) === those) this.#all.delete(name)
    }
  }

  notify(name: string): void {
    for (const changed of this.#all.get(name) ?? []) changed()
  }
}
