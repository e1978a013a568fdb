/**
 * Bounded cache that evicts entries by recency. Two generations: used entries move to the young one, and the old one is dropped when the
 * young one is full. It holds at least half of `max` and never scans for the oldest entry.
 */
export class BoundedMap<K, V> {
  readonly #most: number
  #young = new Map<K, V>()
  #old = new Map<K, V>()

  constructor(max: number) {
    this.#most = max
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: K, value: V): void {
    this.#old.delete(key)
    if (this.#young.size >= this.#most / 2 && !this.#young.has(key)) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
  }

  delete(key: K): void {
    this.#young.delete(key)
    this.#old.delete(key)
  }

  get size(): number {
    return this.#young.size + this.#old.size
  }

  keys(): K[] {
    return [...this.#young.keys(), ...this.#old.keys()]
  }

  clear(): void {
    this.#young.clear()
    this.#old.clear()
  }
}
