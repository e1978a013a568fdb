import type { audioClearReasons } from '@offhook/contract/assistant/events.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { ConversationSound, Conversation } from '../conversation.ts'
import { type SoundPiece, msOf } from './playout.ts'
import type { SpeechOrder, SpeechPlayout } from './speech-playout.ts'
import type { SpeechPart } from './speech-parts.ts'
import { samplesPerMs, type SoundTrack } from '#core/kernel/sound/sound-track.ts'
import type { EndpointPiece } from '#core/kernel/ports/assistant.ts'
import type { SessionEndpoint } from '../endpoint/session-endpoint.ts'
import type { SessionTimeouts } from '../session-timeouts.ts'

/** Maximum queued audio. */
const maxLeadMs = 30_000

interface EndpointSoundDeps {
  clock: Clock
  /** Queues it behind the current speech. */
  play: (eventId: string, order: Pick<SpeechOrder, 'parts' | 'abandon'>, made: (speech: SpeechPlayout) => void) => void
  /** Ends all audio that is playing or queued. */
  drop: () => void
  played: (name: string, playedMs: number) => void
  cleared: (playedMs: number, reason: (typeof audioClearReasons)[number]) => void
}

/** Audio from the endpoint, in stretches between its speeches. */
export class EndpointSound implements ConversationSound {
  readonly #deps: EndpointSoundDeps
  /** Unfinished stretches, oldest first. */
  #stretches: SoundStretch[] = []
  /** Played milliseconds of finished stretches. */
  #playedBeforeMs = 0
  #clearing: (typeof audioClearReasons)[number] | undefined

  constructor(deps: EndpointSoundDeps) {
    this.#deps = deps
  }

  get playedMs(): number {
    return Math.round(this.#stretches.reduce((sum, { playedMs }) => sum + playedMs, this.#playedBeforeMs))
  }

  put({ samples, rate }: SoundPiece, eventId: string): 'begun' | 'taken' | 'full' {
    const aheadMs = this.#stretches.reduce((sum, stretch) => sum + stretch.aheadMs, 0)
    const room = Math.max(0, Math.floor(((maxLeadMs - aheadMs) * rate) / 1000))
    const taken = samples.subarray(0, room)
    if (taken.length === 0) return 'full'
    const last = this.#stretches.at(-1)
    const stretch = last?.isOpen ? last : this.#begin(eventId)
    stretch.add({ samples: taken, rate })
    if (taken.length < samples.length) return 'full'
    return stretch === last ? 'taken' : 'begun'
  }

  mark(name: string): void {
    const last = this.#stretches.at(-1)
    if (last) last.mark(name)
    else this.#deps.played(name, this.playedMs)
  }

  end(): void {
    this.#stretches.at(-1)?.end()
  }

  clear(): void {
    this.#clearing = 'audio_clear'
    this.#deps.drop()
    this.#clearing = undefined
    this.#deps.cleared(this.playedMs, 'audio_clear')
  }

  #begin(eventId: string): SoundStretch {
    const { clock, play, played } = this.#deps
    const stretch = new SoundStretch({ clock, reached: (name) => played(name, this.playedMs) })
    this.#stretches.push(stretch)
    let speech: SpeechPlayout | undefined
    play(eventId, { parts: stretch.parts(), abandon: () => speech && this.#ended(stretch, speech) }, (made) => {
      speech = made
      stretch.speech = made
    })
    return stretch
  }

  /**
   * Handles a stretch that was heard or was cut off by the caller, the endpoint or the end of the call. Reports once, even if several are cut off
   * together.
   */
  #ended(stretch: SoundStretch, speech: SpeechPlayout): void {
    if (!this.#stretches.includes(stretch)) return
    const { playedMs } = stretch
    stretch.finish(!speech.dropped)
    this.#stretches = this.#stretches.filter((one) => one !== stretch)
    this.#playedBeforeMs += playedMs
    if (!speech.dropped || this.#clearing) return
    this.#clearing = speech.isCut ? 'barge_in' : 'ended'
    queueMicrotask(() => {
      const reason = this.#clearing ?? 'ended'
      this.#clearing = undefined
      this.#deps.cleared(this.playedMs, reason)
    })
  }
}

/** Silence in milliseconds after which audio starts a new stretch: it is reported separately, and speech may come in between. */
const maxGapMs = 300
/** Precision of the played position. */
const frameMs = 20
/** Poll interval while no audio plays. */
const recheckMs = 200

interface SoundStretchDeps {
  clock: Clock
  /** Called when all audio before the mark was heard. */
  reached: (name: string) => void
}

/** Endpoint audio without a longer silence, played while it arrives. */
class SoundStretch {
  readonly #deps: SoundStretchDeps
  #speech: SpeechPlayout | undefined
  readonly #pieces: SoundPiece[] = []
  readonly #marks: { name: string; atMs: number }[] = []
  #addedMs = 0
  #ended = false
  #finished = false
  #change = Promise.withResolvers<void>()
  #cancelTimer: (() => void) | undefined

  constructor(deps: SoundStretchDeps) {
    this.#deps = deps
  }

  /** Speech that plays it. */
  set speech(speech: SpeechPlayout) {
    this.#speech = speech
    void speech.begun.then(() => this.#attend())
  }

  get isOpen(): boolean {
    return !this.#ended
  }

  get playedMs(): number {
    return Math.min(this.#speech?.playedMs ?? 0, this.#addedMs)
  }

  /** Milliseconds received but not yet heard. */
  get aheadMs(): number {
    return this.#finished ? 0 : this.#addedMs - this.playedMs
  }

  add(piece: SoundPiece): void {
    this.#pieces.push(piece)
    this.#addedMs += msOf(piece.samples.length, piece.rate)
    this.#changed()
    if (!this.#cancelTimer) this.#attend()
  }

  mark(name: string): void {
    this.#marks.push({ name, atMs: this.#addedMs })
    this.#attend()
  }

  /** No more audio will arrive. */
  end(): void {
    this.#ended = true
    this.#changed()
  }

  /** Ends it: heard with all its marks, or cut off without further reports. */
  finish(heard: boolean): void {
    if (this.#finished) return
    this.#finished = true
    this.end()
    this.#cancelTimer?.()
    if (heard) for (const { name } of this.#marks) this.#deps.reached(name)
  }

  async *parts(): AsyncGenerator<SpeechPart> {
    yield { words: () => '', sound: () => this.#sound() }
  }

  async *#sound(): AsyncGenerator<SoundPiece> {
    for (;;) {
      const next = this.#pieces.shift()
      if (next) yield next
      else if (this.#ended) return
      else await this.#change.promise
    }
  }

  /** Reports reached marks, ends the stretch when it has run dry, and schedules the next check. */
  #attend(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    if (this.#finished) return
    const { playedMs } = this
    while (this.#marks[0] && this.#marks[0].atMs <= playedMs) this.#deps.reached(this.#marks.shift()!.name)
    const silentSince = this.#speech?.silentSince
    const gapMs = silentSince === undefined ? 0 : this.#deps.clock.now() - silentSince
    if (gapMs >= maxGapMs) return this.end()
    const lastsMs = this.#speech?.lastsMs
    const untilMark = this.#marks[0] ? this.#marks[0].atMs - playedMs : Infinity
    const nextMs = Math.min(untilMark, lastsMs === undefined ? recheckMs : lastsMs + maxGapMs - gapMs)
    this.#cancelTimer = this.#deps.clock.after(Math.max(frameMs, nextMs), () => this.#attend())
  }

  #changed(): void {
    this.#change.resolve()
    this.#change = Promise.withResolvers()
  }
}

/** 20 ms. */
const frame = 20 * samplesPerMs
/** Maximum lag; a reader further behind skips to the present. */
const maxBehind = 1000 * samplesPerMs

/** Emits a track's audio live in 20 ms frames. */
export class SoundTap {
  readonly #track: SoundTrack
  readonly #give: (samples: Int16Array<ArrayBuffer>) => void
  #at: number
  #closed = false

  constructor(track: SoundTrack, give: (samples: Int16Array<ArrayBuffer>) => void) {
    this.#track = track
    this.#give = give
    this.#at = track.length
    void this.#run()
  }

  close(): void {
    this.#closed = true
  }

  async #run(): Promise<void> {
    while (!this.#closed) {
      await this.#track.reaches(this.#at + frame)
      const { length, ended } = this.#track
      if (ended && length < this.#at + frame) return
      if (length - this.#at > maxBehind) this.#at = length - frame
      while (!this.#closed && length >= this.#at + frame) {
        this.#give(this.#track.read(this.#at, this.#at + frame))
        this.#at += frame
      }
    }
  }
}

interface SessionSoundDeps {
  conversation: Pick<Conversation, 'sound'>
  endpoint: Pick<SessionEndpoint, 'latest' | 'answered' | 'note' | 'hear'>
  timeouts: Pick<SessionTimeouts, 'speaks'>
  performer: { soundBegins(): void; readonly ends: unknown }
  /** True if the caller's words are for the assistant and it can respond. */
  isAttentive: () => boolean
  /** The caller is on hold and hears hold music. */
  isHeld: () => boolean
  /** Called when the endpoint has answered the turn. */
  answered: () => void
}

/** Audio between the caller and the endpoint of a session. */
export class SessionSound {
  readonly #deps: SessionSoundDeps
  /** An overflow was reported; not repeated until audio fits again. */
  #refused = false

  constructor(deps: SessionSoundDeps) {
    this.#deps = deps
  }

  /** Milliseconds of endpoint audio that the caller has heard; undefined for a flow without it. */
  get playedMs(): number | undefined {
    return this.#deps.conversation.sound?.playedMs
  }

  /** Handles caller audio. */
  heard(samples: Int16Array<ArrayBuffer>): void {
    const { endpoint, isAttentive, isHeld } = this.#deps
    if (isAttentive() && !isHeld()) endpoint.hear(samples)
  }

  /** Handles endpoint audio. Drops it after a delayed hang-up. */
  comes(piece: EndpointPiece): void {
    const { conversation, endpoint, performer, timeouts, isAttentive } = this.#deps
    if (!conversation.sound || !isAttentive() || performer.ends !== undefined) return
    const put = conversation.sound.put(piece, endpoint.latest)
    if (put === 'full' && !this.#refused)
      endpoint.note(undefined, { index: -1, message: 'sound: at most 30 s may wait to be heard; the rest was refused' })
    this.#refused = put === 'full'
    if (put !== 'begun') return
    timeouts.speaks(undefined)
    performer.soundBegins()
    this.#deps.answered()
    endpoint.answered()
  }
}
