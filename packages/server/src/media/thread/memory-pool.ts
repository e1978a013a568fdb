const maxRetained = 64

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
    const fileStore = this.#shelves.get(bytes)
    const buffer = fileStore?.buffers.pop()
    if (!fileStore || !buffer) return new SharedArrayBuffer(bytes)
    fileStore.unused = Math.min(fileStore.unused, fileStore.buffers.length)
    return buffer
  }

  give(buffer: SharedArrayBuffer): void {
    const fileStore = this.#shelves.get(buffer.byteLength) ?? { buffers: [], unused: 0 }
    this.#shelves.set(buffer.byteLength, fileStore)
    if (fileStore.buffers.length < maxRetained) fileStore.buffers.push(buffer)
  }

  /** Drops what was not needed since the last time. */
  trim(): void {
    for (const [bytes, fileStore] of this.#shelves) {
      fileStore.buffers.splice(0, fileStore.unused)
      fileStore.unused = fileStore.buffers.length
      if (fileStore.buffers.length === 0) this.#shelves.delete(bytes)
    }
  }

  get keptBytes(): number {
    let sum = 0
    for (const [bytes, { buffers }] of this.#shelves) sum += bytes * buffers.length
    return sum
  }
}
