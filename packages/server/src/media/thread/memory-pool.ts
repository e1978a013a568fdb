const mostKept = 64

interface Shelf {
  buffers: SharedArrayBuffer[]
  /** How many were never taken since the pool was last trimmed. */
  unused: number
}

/**
 * Memory that threads share, used again and again. V8 does not count it when it decides whether to collect, so what is only dropped stays
 * until something else causes a collection: at a ring or two for every call that is hundreds of megabytes.
 * Before memory is given back, no thread may write or read it any more: it would be heard in another call.
 */
export class MemoryPool {
  readonly #shelves = new Map<number, Shelf>()

  /** What was in it before may still be there: a ring clears its header when it is made. */
  take(bytes: number): SharedArrayBuffer {
    const shelf = this.#shelves.get(bytes)
    const buffer = shelf?.buffers.pop()
    if (!shelf || !buffer) return new SharedArrayBuffer(bytes)
    shelf.unused = Math.min(shelf.unused, shelf.buffers.length)
    return buffer
  }

  give(buffer: SharedArrayBuffer): void {
    const shelf = this.#shelves.get(buffer.byteLength) ?? { buffers: [], unused: 0 }
    this.#shelves.set(buffer.byteLength, shelf)
    if (shelf.buffers.length < mostKept) shelf.buffers.push(buffer)
  }

  /** Drops what was not needed since the last time. */
  trim(): void {
    for (const [bytes, shelf] of this.#shelves) {
      shelf.buffers.splice(0, shelf.unused)
      shelf.unused = shelf.buffers.length
      if (shelf.buffers.length === 0) this.#shelves.delete(bytes)
    }
  }

  get keptBytes(): number {
    let sum = 0
    for (const [bytes, { buffers }] of this.#shelves) sum += bytes * buffers.length
    return sum
  }
}
