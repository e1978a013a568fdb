/** Counters that stand before the samples; only this file knows where. */
const written = 0
const ended = 1
/** How often the beginning was moved. */
const moves = 2
/** Where the kept sound begins: after an even number of moves, and after an odd one. */
const begins = [3, 4] as const
/** What each reader still needs: everything from this place on. */
const needed = { turn: 5, stream: 6 } as const
/** The last beginning of a voice that the reader of turns knows of. */
const known = 7
const headerBytes = 32

export const samplesPerMs = 8
/** What is kept for those who need nothing: a voice is sure only a little after its beginning, and its first word begins before it. */
const alwaysKept = 1250 * samplesPerMs
/** What is longer is made shorter, as long as nobody needs more. */
const defaultSamples = 1500 * samplesPerMs
const maxConcurrent = 100 * samplesPerMs
/** Of the memory that is used by turns. */
const piece = defaultSamples + maxConcurrent
const nothing = 2 ** 31 - 1

/** `turn`: who listens to turns of the caller; `stream`: who hears all of it, a little later. */
export type TrackReader = keyof typeof needed

const newMemory = (bytes: number): SharedArrayBuffer => new SharedArrayBuffer(bytes)

/**
 * The last half minute of what one party said: 8 kHz, 16 bit. One thread writes, any number of others read, none waits.
 * A place in it is the number of samples since the beginning.
 *
 * Half a minute is needed only where somebody talks for so long. As long as its readers need less, the same two pieces of its memory are
 * written by turns, so that the rest of it is never touched and takes no room in the machine.
 */
export class SoundTrack {
  readonly buffer: SharedArrayBuffer
  readonly #state: Int32Array
  readonly #samples: Int16Array
  readonly #mask: number
  /** The writer's: where voices began of which the reader of turns may not know yet. */
  #started: number[] = []
  /** Set when it was left: how long it had become. */
  #lastLength: number | undefined

  /** Of `buffer` of another one, in another thread. */
  constructor(buffer: SharedArrayBuffer) {
    this.buffer = buffer
    this.#state = new Int32Array(buffer, 0, headerBytes / 4)
    this.#samples = new Int16Array(buffer, headerBytes)
    this.#mask = this.#samples.length - 1
  }

  /** Keeps at least this many seconds, if they are needed. */
  static of(seconds: number, memory: (bytes: number) => SharedArrayBuffer = newMemory): SoundTrack {
    const samples = 2 ** Math.ceil(Math.log2(seconds * samplesPerMs * 1000))
    const track = new SoundTrack(memory(headerBytes + 2 * samples))
    track.#state.fill(0) // the memory may have been another track's
    track.#state[needed.stream] = nothing
    track.#state[known] = -1
    return track
  }

  /** Samples since the beginning: the place that is written next. */
  get length(): number {
    return this.#lastLength ?? Atomics.load(this.#state, written)
  }

  get ended(): boolean {
    return this.#lastLength !== undefined || Atomics.load(this.#state, ended) === 1
  }

  /** This reader needs what is from here on; undefined: nothing but the last seconds. Until a turn's reader says so, all is kept. */
  needs(reader: TrackReader, place: number | undefined): void {
    if (this.#lastLength === undefined) Atomics.store(this.#state, needed[reader], place ?? nothing)
  }

  /**
   * The writer found out that a voice began at this place. What is kept now stays until the reader of turns knows of it, however late:
   * its thread may be busy with something else.
   */
  voiceBegan(place: number): void {
    this.#started.push(place)
  }

  /** The reader of turns has been told that a voice began at this place, and has said what it needs of it. */
  knowsVoice(place: number): void {
    if (this.#lastLength === undefined) Atomics.store(this.#state, known, place)
  }

  write(samples: Int16Array): void {
    for (let from = 0; from < samples.length; from += maxConcurrent) this.#put(samples.subarray(from, from + maxConcurrent))
    Atomics.notify(this.#state, written)
  }

  /** A copy of what is between two places, as far as it was written and is still kept. */
  read(from: number, to = this.length): Int16Array<ArrayBuffer> {
    if (this.#lastLength !== undefined) return new Int16Array()
    for (;;) {
      const { length } = this
      const [begin, at] = this.#beginning()
      const start = Math.max(from, length - this.#samples.length, begin)
      const copy = new Int16Array(Math.max(0, Math.min(to, length) - start))
      this.#copy(at + start - begin, copy)
      // After the beginning was moved, what was copied is overwritten a quarter of a second later, at the earliest.
      if (this.length - length < defaultSamples - alwaysKept) return copy
    }
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
      await Atomics.waitAsync(this.#state, written, length, recheckMs).value
    }
  }

  /** The first place that is kept, and where in the memory it is. */
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

  /** A voice began of which the reader of turns was not told yet. */
  #isAwaited(): boolean {
    if (this.#started.length === 0) return false
    const last = Atomics.load(this.#state, known)
    this.#started = this.#started.filter((place) => place > last)
    return this.#started.length > 0
  }

  /** Moves the beginning once what is needed has become little: the last seconds are copied to a piece of memory that has none of them. */
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

/** An end that was told between looking and waiting must not be waited for. */
const recheckMs = 1_000
