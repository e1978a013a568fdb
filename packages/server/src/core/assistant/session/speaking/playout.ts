import type { Clock } from '#core/kernel/ports/platform.ts'
import type { SpeechRate } from '#core/kernel/ports/speech.ts'
import type { Leg } from '#core/kernel/ports/telephony.ts'
import type { SoundFeed } from '#core/kernel/ports/audio.ts'
import { wordsWithin } from '@offhook/contract/assistant/barge-in.ts'

export interface SoundPiece {
  samples: Int16Array
  rate: SpeechRate
}

/** Milliseconds of audio made ahead of playback: enough time to make the next utterance, little enough to waste on an interruption. */
const enoughAheadMs = 3000

/** Milliseconds that may wait in a feed for a full packet. */
const lessThanAPacketMs = 100

/** A feed of the leg, with the part of `#left` it has received: whole pieces, and samples of the next one. */
interface Running {
  feed: SoundFeed
  rate: SpeechRate
  pieces: number
  samples: number
  /** Played samples that were removed from `#left`. */
  forgotten: number
  /** Halted by us: unplayed audio is played later or never. */
  halted: boolean
  over: boolean
}

/** Audio for the phone that can be held, stopped, and resumed at the same position. Silent before `start`. */
export class Playout {
  /** Resolves when all of it was played, it was stopped, or the leg is gone. */
  protected readonly finished: Promise<void>
  readonly #leg: Leg
  readonly #clock: Clock
  readonly #finish: () => void
  #state: 'held' | 'playing' | 'over' = 'held'
  /** No more audio will be written. */
  #complete = false
  #playedToEnd = false
  #failure: Error | undefined
  #startedAt: number | undefined
  readonly #started = Promise.withResolvers<number>()
  /** Audio not known to have been played. */
  #left: SoundPiece[] = []
  #lastRate: SpeechRate = 8000
  #writtenMs = 0
  #playedMs = 0
  /** End of the available audio if playback continues. */
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

  /** Resolves at the first sound, if any. */
  get begun(): Promise<number> {
    return this.#started.promise
  }

  /** Time at which the first audio was sent to the phone. */
  get startedAt(): number | undefined {
    return this.#startedAt
  }

  /** The caller hears it. */
  get sounding(): boolean {
    return this.#state === 'playing' && this.#startedAt !== undefined
  }

  /** Held after the caller heard part of it. */
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

  /** Reason for a playback failure. */
  get failure(): Error | undefined {
    return this.#failure
  }

  protected get writtenMs(): number {
    return this.#writtenMs
  }

  get playedMs(): number {
    return this.#playedMs + (this.#running?.feed.playedMs() ?? 0)
  }

  /** Milliseconds of available audio. Undefined if it is not playing or is complete. */
  get lastsMs(): number | undefined {
    if (this.#state !== 'playing' || this.#complete) return undefined
    const unplayedMs = this.#writtenMs - this.playedMs // the leg may be on hold
    return Math.max(0, this.#soundsUntil - this.#clock.now(), unplayedMs > lessThanAPacketMs ? unplayedMs : 0)
  }

  /** Start of the silence, if it is playing, incomplete and without audio. */
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

  /** No more audio will arrive. */
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

  /** Silent immediately; `start` resumes at the sample after the last played one. */
  hold(): void {
    if (this.#state !== 'playing') return
    this.#state = 'held'
    this.#halt()
  }

  /** Silent immediately and permanently. */
  stop(): void {
    this.#state = 'over'
    this.#halt()
  }

  /** Resolves when more audio should be made or none is needed. */
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

  /** Plays all pieces of this rate as one feed. */
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

  /** Returns false when the feed gets no more audio. */
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

  /** Drops played audio, because a sound may last as long as the call. */
  #forgetPlayed(running: Running): void {
    const played = Math.round((running.feed.playedMs() * running.rate) / 1000)
    for (let first = this.#left[0]; first && running.pieces > 1; first = this.#left[0]) {
      if (running.forgotten + first.samples.length > played) return
      this.#left.shift()
      running.pieces -= 1
      running.forgotten += first.samples.length
    }
  }

  /** Removes played samples. */
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

/** Words with their times, in milliseconds since the speech's first sample. */
export interface TimedWords {
  text: string
  fromMs: number
  /** Undefined while more of its audio is arriving. */
  toMs: number | undefined
}

/** Approximate milliseconds per character, for incomplete audio. */
const msPerCharacter = 65

export const estimatedMs = (text: string): number => text.length * msPerCharacter

/** Heard text of a stopped speech, in whole words. Assumes that words are spread evenly over an utterance. */
export const heardText = (utterances: readonly TimedWords[], playedMs: number, writtenMs: number): string =>
  utterances
    .filter(({ fromMs }) => fromMs < playedMs)
    .map(({ text, fromMs, toMs }) => {
      if (toMs !== undefined && toMs <= playedMs) return text
      const lasts = toMs === undefined ? Math.max(writtenMs - fromMs, estimatedMs(text)) : toMs - fromMs
      return wordsWithin(text, (playedMs - fromMs) / lasts)
    })
    .filter((text) => text !== '')
    .join(' ')

const question = /[?？؟]["'”’»)\]\s]*$/
/** Start of a clause: after a mark, or at the beginning. */
const clauseBeginnings = /(?:^|[,;:.!?…–—]\s+)(?=\S)/g
/** Minimum length of the last clause: a caller who speaks in the last second answers the question. */
const minMs = 1000

/**
 * Start of the last clause of a speech that ends in a question, in milliseconds since its first sample; undefined for other speeches unless
 * `wantsAnswer`. Like `heardText`, assumes that words are spread evenly over an utterance.
 */
export const lastClauseFrom = (utterances: readonly TimedWords[], wantsAnswer = false): number | undefined => {
  const last = utterances.findLast(({ text }) => text !== '')
  if (!last || !(wantsAnswer || question.test(last.text))) return undefined
  const { text, fromMs, toMs = fromMs + estimatedMs(text) } = last
  const beginning = [...text.matchAll(clauseBeginnings)].at(-1)
  const share = beginning ? (beginning.index + beginning[0].length) / text.length : 0
  return Math.min(fromMs + share * (toMs - fromMs), toMs - minMs)
}
