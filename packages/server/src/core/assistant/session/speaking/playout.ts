import type { Clock } from '#core/kernel/ports/clock.ts'
import type { SpeechRate } from '#core/kernel/ports/speech.ts'
import type { Leg, SoundFeed } from '#core/kernel/ports/telephony.ts'

export interface SoundPiece {
  samples: Int16Array
  rate: SpeechRate
}

/** How much sound is made ahead of what plays: enough to make the next utterance meanwhile, little enough to waste on an interruption. */
const enoughAheadMs = 3000

/** So little may wait in a feed until there is enough for another packet. */
const lessThanAPacketMs = 100

/** A feed of the leg, and how much of `#left` it was given: whole pieces, and samples of the next one. */
interface Running {
  feed: SoundFeed
  rate: SpeechRate
  pieces: number
  samples: number
  /** Samples that were played, and are not in `#left` any more. */
  forgotten: number
  /** By us: what was not played is played later, or never. */
  halted: boolean
  over: boolean
}

/** Sound for the phone that can be held back, stopped, and played on from where it was stopped. Nothing sounds before `start`. */
export class Playout {
  /** Resolves when all of it was played, or it was stopped, or the leg is gone. */
  protected readonly finished: Promise<void>
  readonly #leg: Leg
  readonly #clock: Clock
  readonly #finish: () => void
  #state: 'held' | 'playing' | 'over' = 'held'
  /** Nothing more is written. */
  #complete = false
  #playedToEnd = false
  #failure: Error | undefined
  #startedAt: number | undefined
  readonly #started = Promise.withResolvers<number>()
  /** What is not known to be played. */
  #left: SoundPiece[] = []
  #lastRate: SpeechRate = 8000
  #writtenMs = 0
  #playedMs = 0
  /** When what is there of it has been heard, if it goes on playing. */
  #soundsUntil = 0
  #running: Running | undefined
  #change = Promise.withResolvers<void>()

  constructor(leg: Leg, clock: Clock) {
    this.#leg = leg
    this.#clock = clock
    const { promise, resolve } = Promise.withResolvers<void>()
    this.finished = promise
    this.#finish = resolve
    void this.#run()
  }

  /** When it begins to sound, if it ever does. */
  get begun(): Promise<number> {
    return this.#started.promise
  }

  /** When the first of it was on its way to the phone. */
  get startedAt(): number | undefined {
    return this.#startedAt
  }

  /** The caller hears it. */
  get sounding(): boolean {
    return this.#state === 'playing' && this.#startedAt !== undefined
  }

  /** The caller heard it until it was held. */
  get suspended(): boolean {
    return this.#state === 'held' && this.#startedAt !== undefined
  }

  /** Played, stopped, or the leg is gone. */
  protected get over(): boolean {
    return this.#state === 'over'
  }

  protected get playedToEnd(): boolean {
    return this.#playedToEnd
  }

  /** Why it could not be played. */
  get failure(): Error | undefined {
    return this.#failure
  }

  protected get writtenMs(): number {
    return this.#writtenMs
  }

  get playedMs(): number {
    return this.#playedMs + (this.#running?.feed.playedMs() ?? 0)
  }

  /** In milliseconds: for how long there is something to be heard of it. Undefined: it is not its turn, or there is nothing more to come. */
  get lastsMs(): number | undefined {
    if (this.#state !== 'playing' || this.#complete) return undefined
    const unplayedMs = this.#writtenMs - this.playedMs // the leg may be on hold
    return Math.max(0, this.#soundsUntil - this.#clock.now(), unplayedMs > lessThanAPacketMs ? unplayedMs : 0)
  }

  /** Since when nothing of it is there to be heard although it is its turn and more is to come. */
  get silentSince(): number | undefined {
    return this.lastsMs === 0 ? this.#soundsUntil : undefined
  }

  protected write(piece: SoundPiece): void {
    if (this.#state === 'over' || this.#complete || piece.samples.length === 0) return
    const ms = msOf(piece.samples.length, piece.rate)
    this.#left.push(piece)
    this.#lastRate = piece.rate
    this.#writtenMs += ms
    this.#soundsUntil = Math.max(this.#soundsUntil, this.#clock.now()) + ms
    this.#changed()
  }

  protected writeSilence(ms: number): void {
    const rate = this.#lastRate
    this.write({ rate, samples: new Int16Array(Math.round((ms * rate) / 1000)) })
  }

  /** Nothing more comes. */
  protected end(): void {
    this.#complete = true
    this.#changed()
  }

  start(): void {
    if (this.#state !== 'held') return
    this.#state = 'playing'
    this.#soundsUntil = this.#clock.now() + this.#writtenMs - this.playedMs
    this.#changed()
  }

  /** Silence at once; `start` goes on with the sample after the last that was played. */
  hold(): void {
    if (this.#state !== 'playing') return
    this.#state = 'held'
    this.#halt()
  }

  /** Silence at once, for good. */
  stop(): void {
    this.#state = 'over'
    this.#halt()
  }

  /** Resolves when more should be made, or when nothing is needed any more. */
  protected async wantsMore(): Promise<void> {
    while (this.#state !== 'over') {
      const excess = this.#writtenMs - this.playedMs - enoughAheadMs
      if (excess < 0) return
      const { promise } = this.#change
      const cancel = this.#running ? this.#clock.after(excess + 1, () => this.#changed()) : () => {}
      await promise
      cancel()
    }
  }

  async #run(): Promise<void> {
    try {
      while (this.#state !== 'over') {
        const next = this.#left[0]
        if (this.#state === 'playing' && next) await this.#play(next.rate)
        else if (this.#state === 'playing' && this.#complete) this.#end()
        else await this.#change.promise
      }
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error))
      this.#state = 'over'
    }
    this.#left = []
    this.#changed()
    this.#finish()
  }

  #end(): void {
    this.#playedToEnd = true
    this.#state = 'over'
  }

  /** All that has this rate, as one feed. */
  async #play(rate: SpeechRate): Promise<void> {
    const running: Running = { feed: this.#leg.audio.feed(rate), rate, pieces: 0, samples: 0, forgotten: 0, halted: false, over: false }
    this.#running = running
    this.#changed()
    void running.feed.begun.then(() => {
      this.#startedAt ??= this.#clock.now()
      this.#started.resolve(this.#startedAt)
    })
    void running.feed.done.then(() => {
      running.over = true
      this.#changed()
    })
    while (!running.over && (await this.#give(running)));
    const { completed, playedMs } = await running.feed.done
    this.#running = undefined
    this.#playedMs += playedMs
    this.#forget(Math.round((playedMs * rate) / 1000) - running.forgotten)
    const legIsGone = !completed && !running.halted
    if (legIsGone) this.#state = 'over'
  }

  /** Gives false when the feed gets nothing more. */
  async #give(running: Running): Promise<boolean> {
    const next = this.#left[running.pieces]
    if (next?.rate === running.rate) return this.#offer(running, next.samples.subarray(running.samples))
    if (next || this.#complete) {
      running.feed.end()
      return false
    }
    await this.#change.promise
    return true
  }

  async #offer(running: Running, samples: Int16Array): Promise<boolean> {
    let taken = running.feed.write(samples)
    if (taken === 0) {
      await running.feed.hasCapacity(Math.min(samples.length, running.rate / 10))
      taken = running.feed.write(samples)
    }
    running.samples += taken
    if (taken === samples.length) {
      running.pieces += 1
      running.samples = 0
      this.#forgetPlayed(running)
    }
    return taken > 0
  }

  #halt(): void {
    if (this.#running) {
      this.#running.halted = true
      this.#running.over = true
      this.#running.feed.stop()
    }
    this.#changed()
  }

  /** A sound may go on for as long as the call: of what was played nothing is kept. */
  #forgetPlayed(running: Running): void {
    const played = Math.round((running.feed.playedMs() * running.rate) / 1000)
    for (let first = this.#left[0]; first && running.pieces > 1; first = this.#left[0]) {
      if (running.forgotten + first.samples.length > played) return
      this.#left.shift()
      running.pieces -= 1
      running.forgotten += first.samples.length
    }
  }

  /** These samples were played. */
  #forget(samples: number): void {
    let rest = samples
    while (rest > 0) {
      const first = this.#left[0]
      if (!first) return
      if (first.samples.length > rest) this.#left[0] = { ...first, samples: first.samples.subarray(rest) }
      else this.#left.shift()
      rest -= first.samples.length
    }
  }

  #changed(): void {
    this.#change.resolve()
    this.#change = Promise.withResolvers()
  }
}

export const msOf = (samples: number, rate: number): number => (samples * 1000) / rate
