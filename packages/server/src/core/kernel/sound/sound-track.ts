/** Indexes of the counters before the samples; private to this file. */
const written = 0
const ended = 1
/** Number of moves of the start. */
const moves = 2
/** Start of the kept audio: after an even number of moves, and after an odd one. */
const begins = [3, 4] as const
/** First position that each reader still needs. */
const needed = { turn: 5, stream: 6 } as const
/** Latest speech start known to the turn reader. */
const known = 7
const headerBytes = 32

export const samplesPerMs = 8
/** Always kept: speech is detected slightly after its start, and its first word begins before it. */
const alwaysKept = 1250 * samplesPerMs
/** Length above which the track is shortened, unless readers need more. */
const defaultSamples = 1500 * samplesPerMs
const maxConcurrent = 100 * samplesPerMs
/** Samples per alternating memory region. */
const piece = defaultSamples + maxConcurrent
const nothing = 2 ** 31 - 1

/** `turn`: reader of the caller's turns; `stream`: reader of all audio, slightly delayed. */
type TrackReader = keyof typeof needed

const newMemory = (bytes: number): SharedArrayBuffer => new SharedArrayBuffer(bytes)

/**
 * Last half minute of one party's audio: 8 kHz, 16 bit. One writing thread, any number of reading threads, lock-free. Positions are
 * samples since the start. Half a minute is needed only for long turns. While readers need less, two memory regions are written
 * alternately, so that the rest of the buffer is never touched and takes no physical memory.
 */
export class SoundTrack {
  readonly buffer: SharedArrayBuffer
  readonly #state: Int32Array
  readonly #samples: Int16Array
  readonly #mask: number
  /** Writer only: speech starts that the turn reader may not know yet. */
  #started: number[] = []
  /** Final length, set by `leave`. */
  #lastLength: number | undefined

  /** Opens the `buffer` of a track of another thread. */
  constructor(buffer: SharedArrayBuffer) {
    this.buffer = buffer
    this.#state = new Int32Array(buffer, 0, headerBytes / 4)
    this.#samples = new Int16Array(buffer, headerBytes)
    this.#mask = this.#samples.length - 1
  }

  /** Keeps at least this many seconds, if needed. */
  static of(seconds: number, memory: (bytes: number) => SharedArrayBuffer = newMemory): SoundTrack {
    const samples = 2 ** Math.ceil(Math.log2(seconds * samplesPerMs * 1000))
    const track = new SoundTrack(memory(headerBytes + 2 * samples))
    track.#state.fill(0) // the memory may come from another track
    track.#state[needed.stream] = nothing
    track.#state[known] = -1
    return track
  }

  /** Samples since the start: the next position to be written. */
  get length(): number {
    return this.#lastLength ?? Atomics.load(this.#state, written)
  }

  get ended(): boolean {
    return this.#lastLength !== undefined || Atomics.load(this.#state, ended) === 1
  }

  /** Declares that this reader needs audio from here on; undefined: only the last seconds. Everything is kept until the turn reader calls it. */
  needs(reader: TrackReader, place: number | undefined): void {
    if (this.#lastLength === undefined) Atomics.store(this.#state, needed[reader], place ?? nothing)
  }

  /**
   * Called by the writer when speech started at this position. The kept audio stays until the turn reader knows of it, however late: its
   * thread may be busy.
   */
  voiceBegan(place: number): void {
    this.#started.push(place)
  }

  /** Called by the turn reader once it knows the speech start at this position and has declared its needs. */
  knowsVoice(place: number): void {
    if (this.#lastLength === undefined) Atomics.store(this.#state, known, place)
  }

  write(samples: Int16Array): void {
    for (let from = 0; from < samples.length; from += maxConcurrent) this.#put(samples.subarray(from, from + maxConcurrent))
    Atomics.notify(this.#state, written)
  }

  /** Copies the part of a range that is written and still kept. */
  read(from: number, to = this.length): Int16Array<ArrayBuffer> {
    if (this.#lastLength !== undefined) return new Int16Array()
    for (;;) {
      const { length } = this
      const [begin, at] = this.#beginning()
      const start = Math.max(from, length - this.#samples.length, begin)
      const copy = new Int16Array(Math.max(0, Math.min(to, length) - start))
      this.#copy(at + start - begin, copy)
      // After a move of the start, the copied range is overwritten a quarter of a second later at the earliest.
      if (this.length - length < defaultSamples - alwaysKept) return copy
    }
  }

  /** Marks the end of the audio. */
  end(): void {
    if (this.#lastLength !== undefined) return
    Atomics.store(this.#state, ended, 1)
    Atomics.notify(this.#state, written)
  }

  /** Ends the track for all readers in this thread: its memory may be reused, and no audio is left to read. */
  leave(): void {
    this.end()
    this.#lastLength = this.length
  }

  /** Resolves when the track has this length or has ended. */
  async reaches(place: number): Promise<void> {
    for (;;) {
      const { length } = this
      if (length >= place || this.ended) return
      await Atomics.waitAsync(this.#state, written, length, recheckMs).value
    }
  }

  /** First kept position, and its index in memory. */
  #beginning(): [place: number, at: number] {
    const moved = Atomics.load(this.#state, moves) & 1
    return [Atomics.load(this.#state, begins[moved as 0 | 1]), moved * piece]
  }

  #put(samples: Int16Array): void {
    const [begin, first] = this.#beginning()
    const at = (first + this.length - begin) & this.#mask
    const untilEnd = this.#samples.length - at
    if (samples.length <= untilEnd) this.#samples.set(samples, at)
    else {
      this.#samples.set(samples.subarray(0, untilEnd), at)
      this.#samples.set(samples.subarray(untilEnd))
    }
    Atomics.add(this.#state, written, samples.length)
    this.#forget()
  }

  #copy(from: number, into: Int16Array): void {
    const at = from & this.#mask
    const untilEnd = Math.min(into.length, this.#samples.length - at)
    into.set(this.#samples.subarray(at, at + untilEnd))
    into.set(this.#samples.subarray(0, into.length - untilEnd), untilEnd)
  }

  /** Speech started that the turn reader does not know yet. */
  #isAwaited(): boolean {
    if (this.#started.length === 0) return false
    const last = Atomics.load(this.#state, known)
    this.#started = this.#started.filter((place) => place > last)
    return this.#started.length > 0
  }

  /** Moves the start once little audio is needed: copies the last seconds to a memory region that contains none of them. */
  #forget(): void {
    const { length } = this
    const [begin, at] = this.#beginning()
    if (length - begin < defaultSamples || this.#samples.length < 2 * piece || this.#isAwaited()) return
    const wanted = Math.min(Atomics.load(this.#state, needed.turn), Atomics.load(this.#state, needed.stream))
    const kept = Math.min(length - alwaysKept, wanted)
    const from = (at + kept - begin) & this.#mask
    const to = from + length - kept
    if (length - kept > alwaysKept || to > this.#samples.length) return
    const now = Atomics.load(this.#state, moves)
    const next = [now + 1, now + 2].find((move) => from >= ((move & 1) + 1) * piece || to <= (move & 1) * piece)
    if (next === undefined) return
    this.#samples.copyWithin((next & 1) * piece, from, to)
    Atomics.store(this.#state, begins[(next & 1) as 0 | 1], kept)
    Atomics.store(this.#state, moves, next)
  }
}

/** Catches an end that was set between the check and the wait. */
const recheckMs = 1_000
