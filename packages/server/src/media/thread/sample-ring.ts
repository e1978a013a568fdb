/** Counters before the samples; only this file knows their layout. */
const written = 0
const read = 1
const ended = 2
const changes = 3
/** Added to a sample count it gives the position in memory. */
const shift = 4
const headerBytes = 32

const newMemory = (bytes: number): SharedArrayBuffer => new SharedArrayBuffer(bytes)

/**
 * Passes samples from one thread to another without messages: one writes, one reads, neither waits for the other. When everything is read,
 * writing starts at the front again: a ring that is read in time touches only its first page, and the rest takes no physical memory.
 */
export class SampleRing {
  readonly buffer: SharedArrayBuffer
  readonly #state: Int32Array
  readonly #samples: Int16Array
  readonly #mask: number
  /** Set by leave(): the number of samples read by then. */
  #readAtLast: number | undefined

  /** Opens the other end, by the `buffer` of a ring. */
  constructor(buffer: SharedArrayBuffer) {
    this.buffer = buffer
    this.#state = new Int32Array(buffer, 0, headerBytes / 4)
    this.#samples = new Int16Array(buffer, headerBytes)
    this.#mask = this.#samples.length - 1
  }

  /** Has room for at least this number of samples. */
  static of(samples: number, memory: (bytes: number) => SharedArrayBuffer = newMemory): SampleRing {
    const capacity = 2 ** Math.ceil(Math.log2(samples)) // the counters overflow, which is harmless for a power of two
    const ring = new SampleRing(memory(headerBytes + 2 * capacity))
    ring.#state.fill(0) // the memory may be reused from another ring
    return ring
  }

  get available(): number {
    if (this.#readAtLast !== undefined) return 0
    return (Atomics.load(this.#state, written) - Atomics.load(this.#state, read)) | 0
  }

  /** Number of samples read since the start. */
  get readUntilNow(): number {
    return this.#readAtLast ?? Atomics.load(this.#state, read) >>> 0
  }

  get room(): number {
    return this.ended ? 0 : this.#samples.length - this.available
  }

  get ended(): boolean {
    return this.#readAtLast !== undefined || Atomics.load(this.#state, ended) === 1
  }

  /** Returns the number of accepted samples. */
  write(samples: Int16Array): number {
    const count = Math.min(samples.length, this.room)
    const start = Atomics.load(this.#state, written)
    if (count === 0) return 0
    // The reader uses it only when there are samples to read.
    if (this.available === 0) Atomics.store(this.#state, shift, -start)
    const at = (start + Atomics.load(this.#state, shift)) & this.#mask
    const untilEnd = Math.min(count, this.#samples.length - at)
    this.#samples.set(untilEnd === samples.length ? samples : samples.subarray(0, untilEnd), at)
    if (untilEnd < count) this.#samples.set(samples.subarray(untilEnd, count))
    this.#advance(written, count)
    return count
  }

  /** Returns the number of samples read. */
  read(into: Int16Array): number {
    const count = Math.min(into.length, this.available)
    const start = Atomics.load(this.#state, read)
    if (count === 0) return 0
    const at = (start + Atomics.load(this.#state, shift)) & this.#mask
    const untilEnd = Math.min(count, this.#samples.length - at)
    into.set(this.#samples.subarray(at, at + untilEnd))
    if (untilEnd < count) into.set(this.#samples.subarray(0, count - untilEnd), untilEnd)
    this.#advance(read, count)
    return count
  }

  /** Ends writing; available samples can still be read. */
  end(): void {
    if (this.#readAtLast !== undefined) return
    Atomics.store(this.#state, ended, 1)
    this.#advance(ended, 0)
  }

  /** Ends it for its users in this thread: from now on another ring may use its memory. */
  leave(): void {
    this.end()
    this.#readAtLast = this.readUntilNow
  }

  async hasSamples(samples: number): Promise<void> {
    await this.#changed(() => this.available >= samples || this.ended)
  }

  async hasCapacity(samples: number): Promise<void> {
    await this.#changed(() => this.room >= samples || this.ended)
  }

  /** Resolves when the first sample was read, or when `over` returns true; it is called at every change. */
  async isRead(over: () => boolean): Promise<void> {
    await this.#changed(() => this.readUntilNow > 0 || over())
  }

  #advance(counter: number, by: number): void {
    Atomics.add(this.#state, counter, by)
    Atomics.add(this.#state, changes, 1)
    Atomics.notify(this.#state, changes)
  }

  async #changed(enough: () => boolean): Promise<void> {
    for (;;) {
      const seen = Atomics.load(this.#state, changes)
      if (this.#readAtLast !== undefined || enough()) return
      await Atomics.waitAsync(this.#state, changes, seen).value
    }
  }
}
