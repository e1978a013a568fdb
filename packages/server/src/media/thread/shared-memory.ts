const maxRetained = 64

interface Shelf {
  buffers: SharedArrayBuffer[]
  /** Minimum number of free buffers since the last trim. */
  unused: number
}

/**
 * Pool of memory shared by threads. V8 does not count it for garbage collection, so dropped memory stays until another cause for a
 * collection: with a ring or two per call that is hundreds of megabytes. Before memory is returned, no thread may use it: it would be heard
 * in another call.
 */
export class MemoryPool {
  readonly #shelves = new Map<number, Shelf>()

  /** Old content may still be there: a new ring clears its header. */
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
    if (shelf.buffers.length < maxRetained) shelf.buffers.push(buffer)
  }

  /** Drops buffers that were not needed since the last call. */
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

const shared = new WeakMap<Int16Array, Int16Array>()

/** Every thread plays the same memory: a prompt that hundreds hear is stored once. */
export const inSharedMemory = (samples: Int16Array): Int16Array => {
  if (samples.buffer instanceof SharedArrayBuffer) return samples
  const known = shared.get(samples)
  if (known) return known
  const copy = new Int16Array(new SharedArrayBuffer(samples.byteLength))
  copy.set(samples)
  shared.set(samples, copy)
  return copy
}
