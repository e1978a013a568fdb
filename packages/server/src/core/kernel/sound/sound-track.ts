const written = 0
const ended = 1
const headerBytes = 8

const newMemory = (bytes: number): SharedArrayBuffer => new SharedArrayBuffer(bytes)

/**
 * The last half minute of what one party said: 8 kHz, 16 bit. One thread writes, any number of others read, none waits.
 * A place in it is the number of samples since the beginning.
 */
export class SoundTrack {
  readonly buffer: SharedArrayBuffer
  readonly #state: Int32Array
  readonly #samples: Int16Array
  readonly #mask: number
  /** Set when it was left: how long it had become. */
  #lastLength: number | undefined

  /** Of `buffer` of another one, in another thread. */
  constructor(buffer: SharedArrayBuffer) {
    this.buffer = buffer
    this.#state = new Int32Array(buffer, 0, headerBytes / 4)
    this.#samples = new Int16Array(buffer, headerBytes)
    this.#mask = this.#samples.length - 1
  }

  /** Keeps at least this many seconds. */
  static of(seconds: number, memory: (bytes: number) => SharedArrayBuffer = newMemory): SoundTrack {
    const samples = 2 ** Math.ceil(Math.log2(seconds * samplesPerMs * 1000))
    const track = new SoundTrack(memory(headerBytes + 2 * samples))
    track.#state.fill(0) // the memory may have been another track's
    return track
  }

  /** Samples since the beginning: the place that is written next. */
  get length(): number {
    return this.#lastLength ?? Atomics.load(this.#state, written)
  }

  get ended(): boolean {
    return this.#lastLength !== undefined || Atomics.load(this.#state, ended) === 1
  }

  write(samples: Int16Array): void {
    const start = this.length
    for (let i = 0; i < samples.length; i++) this.#samples[(start + i) & this.#mask] = samples[i] ?? 0
    Atomics.add(this.#state, written, samples.length)
    Atomics.notify(this.#state, written)
  }

  /** A copy of what is between two places, as far as it was written and is still kept. */
  read(from: number, to = this.length): Int16Array<ArrayBuffer> {
    if (this.#lastLength !== undefined) return new Int16Array()
    const end = Math.min(to, this.length)
    const start = Math.max(from, this.length - this.#samples.length, 0)
    const copy = new Int16Array(Math.max(0, end - start))
    for (let i = 0; i < copy.length; i++) copy[i] = this.#samples[(start + i) & this.#mask] ?? 0
    return copy
  }

  /** Nothing more is written. */
  end(): void {
    if (this.#lastLength !== undefined) return
    Atomics.store(this.#state, ended, 1)
    Atomics.notify(this.#state, written)
  }

  /** Ends it for every reader in this thread: from now on its memory may be that of another track, and there is nothing left to read. */
  leave(): void {
    this.end()
    this.#lastLength = this.length
  }

  /** Resolves when it is as long as this, or does not grow any more. */
  async reaches(place: number): Promise<void> {
    for (;;) {
      const { length } = this
      if (length >= place || this.ended) return
      await Atomics.waitAsync(this.#state, written, length, lookAgainMs).value
    }
  }
}

/** An end that was told between looking and waiting must not be waited for. */
const lookAgainMs = 1_000
export const samplesPerMs = 8
