/** Counters that stand before the samples; only this file knows where. */
const written = 0
const read = 1
const ended = 2
const changes = 3
/** Added to a count of samples it gives where in the memory they are. */
const shift = 4
const headerBytes = 32

const newMemory = (bytes: number): SharedArrayBuffer => new SharedArrayBuffer(bytes)

/**
 * Samples from one thread to another without a message: one writes, one reads, neither waits for the other.
 * Whenever all was read, writing begins at the front again: of a ring that is read in time only its first page is ever touched, and the
 * rest takes no room in the machine.
 */
export class SampleRing {
  readonly buffer: SharedArrayBuffer
  readonly #state: Int32Array
  readonly #samples: Int16Array
  readonly #mask: number
  /** Set when it was left: how many samples had been read. */
  #readAtLast: number | undefined

  /** Of `buffer` of another one, at the other end. */
  constructor(buffer: SharedArrayBuffer) {
    this.buffer = buffer
    this.#state = new Int32Array(buffer, 0, headerBytes / 4)
    this.#samples = new Int16Array(buffer, headerBytes)
    this.#mask = this.#samples.length - 1
  }

  /** With room for at least this number of samples. */
  static of(samples: number, memory: (bytes: number) => SharedArrayBuffer = newMemory): SampleRing {
    const capacity = 2 ** Math.ceil(Math.log2(samples)) // the counters overflow; a power of two does not mind
    const ring = new SampleRing(memory(headerBytes + 2 * capacity))
    ring.#state.fill(0) // the memory may have been another ring's
    return ring
  }

  get available(): number {
    if (this.#readAtLast !== undefined) return 0
    return (Atomics.load(this.#state, written) - Atomics.load(this.#state, read)) | 0
  }

  /** How many samples were read since the beginning. */
  get readUntilNow(): number {
    return this.#readAtLast ?? Atomics.load(this.#state, read) >>> 0
  }

  get room(): number {
    return this.ended ? 0 : this.#samples.length - this.available
  }

  get ended(): boolean {
    return this.#readAtLast !== undefined || Atomics.load(this.#state, ended) === 1
  }

  /** Gives how many samples there was room for. */
  write(samples: Int16Array): number {
    const count = Math.min(samples.length, this.room)
    const start = Atomics.load(this.#state, written)
    if (count === 0) return 0
    // The reader looks at it only when there is something to read.
    if (this.available === 0) Atomics.store(this.#state, shift, -start)
    const at = (start + Atomics.load(this.#state, shift)) & this.#mask
    const untilEnd = Math.min(count, this.#samples.length - at)
    this.#samples.set(untilEnd === samples.length ? samples : samples.subarray(0, untilEnd), at)
    if (untilEnd < count) this.#samples.set(samples.subarray(untilEnd, count))
    this.#advance(written, count)
    return count
  }

  /** Gives how many samples were there. */
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

  /** Nothing is written any more; what is there can still be read. */
  end(): void {
    if (this.#readAtLast !== undefined) return
    Atomics.store(this.#state, ended, 1)
    this.#advance(ended, 0)
  }

  /** Ends it for its users in this thread: from now on its memory may be that of another ring. */
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

  /** Resolves when the first sample was read, or when `over` says that none will be; it is asked whenever something changes. */
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
