import type { Clock } from '#core/kernel/ports/platform.ts'
import type { VadStream, SttOptions, Transcript, Speech } from '#core/kernel/ports/speech.ts'
import type { LegSound } from '#core/kernel/ports/audio.ts'
import { samplesPerMs, SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { askAfterMs, minSilence, type EndpointingPolicy } from '#core/speech/turns/turn-silence.ts'
import { Transcriber } from '#core/speech/voices/transcriber.ts'
import type { TurnEnd, Preview, TurnTiming } from '../conversation.ts'
import { EarlyWords, type PartialMode, EndJudge, TurnWords, Questions } from './turn-words.ts'
import { TurnTaking, type TurnEffect } from './turn-taking.ts'
import type { TurnDetector } from '#core/kernel/ports/assistant.ts'
import type { Audio } from '#core/kernel/ports/telephony.ts'
import type { SessionLanguage } from '../session-language.ts'

type Interest = 'barge-in' | 'answering machine'

/** Silence in milliseconds before the words are requested while partials are active: a breath must not restart recognition. */
const betweenGuessesMs = 200

/** Minimum end probability and confidence for a preview, which may turn out wrong. */
const likelyOver = 0.5
const likelyHeard = 0.5

/** Listens to the caller: turns and their words. */
export class Hearing {
  readonly #clock: Clock
  readonly #observer: HearingObserver
  readonly #turns = new TurnTaking({
    shortestMs: () => minSilence(this.#patience),
    askAfterMs: (turnMs) => (this.#interests.size > 0 ? betweenGuessesMs : askAfterMs(turnMs, this.#patience)),
  })
  readonly #vad: VadStream
  readonly #transcriber: Recognition
  /** Pending requests; close() waits for them. */
  readonly #questions = new Questions((error) => this.#lose(error))
  readonly #words: TurnWords
  #patience: EndpointingPolicy
  #cancelTimer: () => void = () => {}
  /** Time at which VAD reported the end of speech. */
  #silentSince = 0
  #previewed = false
  readonly #interests = new Set<Interest>()
  readonly #early: EarlyWords
  readonly #wantsInterim: () => boolean
  #closed = false

  constructor(deps: HearingDeps, endpointing: EndpointingPolicy, observer: HearingObserver) {
    this.#clock = deps.clock
    this.#observer = observer
    this.#patience = endpointing
    this.#vad = this.#listen(deps)
    this.#vad.track.needs('turn', undefined)
    this.#transcriber = deps.media === 'audio' ? noRecogniser : this.#openTranscriber(deps)
    this.#words = new TurnWords({
      clock: deps.clock,
      language: deps.language,
      track: this.#vad.track,
      turns: this.#turns,
      transcriber: this.#transcriber,
      judge: new EndJudge(deps, (message) => observer.problem(message)),
      questions: this.#questions,
      patience: () => this.#patience,
      asked: deps.asked ?? (() => undefined),
      understood: (transcript) => this.#understood(transcript),
      judged: (words, transcript, end) => {
        this.#apply(() => this.#turns.transcribed(words, end.silenceMs))
        this.#preview(words.trim(), transcript, end)
      },
    })
    this.#wantsInterim = deps.wantsInterim ?? (() => false)
    this.#early = new EarlyWords({
      clock: deps.clock,
      track: this.#vad.track,
      transcriber: this.#transcriber,
      ask: (answer, signal, take) => this.#questions.take(answer, signal, take),
      understood: (heard) => {
        this.#understood(heard)
        this.#attend()
      },
    })
  }

  /** The caller is in the middle of an utterance. */
  get callerSpeaks(): boolean {
    return !this.#closed && this.#turns.open
  }

  /** The caller's voice is audible at this moment. */
  get voiced(): boolean {
    return !this.#closed && this.#turns.voiced
  }

  /** Caller audio without the assistant's echo. */
  get track(): SoundTrack {
    return this.#vad.track
  }

  /** Endpointing policy; applies from the next pause. */
  get patience(): EndpointingPolicy {
    return this.#patience
  }

  set patience(endpointing: EndpointingPolicy) {
    this.#patience = endpointing
  }

  /** Uses the first available provider; the embedded one is always the last. */
  recogniseWith(providers: readonly string[], options: SttOptions): void {
    if (this.#closed) return
    this.#transcriber.listen(providers, options)
  }

  /** Narrows recognition to the caller's language. Call it between two turns. */
  keepTo(language: string): void {
    if (!this.#closed) this.#transcriber.keepTo(language)
  }

  /** Requests words before the end of the turn: they may end a speech or identify an answering machine. */
  follow(why: Interest, wanted: boolean): void {
    if (wanted) this.#interests.add(why)
    else this.#interests.delete(why)
    this.#attend()
  }

  async close(): Promise<void> {
    if (!this.#closed) this.#end()
    await this.#questions.done()
  }

  #openTranscriber(deps: HearingDeps): Transcriber {
    return new Transcriber(deps, this.#vad.track, {
      partial: (text) => this.#understood({ text }),
      problem: (message) => this.#observer.problem(message),
      lost: (error) => this.#lose(error),
    })
  }

  /** Reports a failure to start listening like a loss. */
  #listen({ speech, leg }: HearingDeps): VadStream {
    let sound: LegSound | undefined
    try {
      sound = leg.audio.listen()
      return speech.vad.listen(sound, {
        noticed: (at) => {
          if (!this.#closed) this.#observer.noticed(this.#timeOf(at))
        },
        started: (at) => this.#voice(true, at),
        stopped: (at) => this.#voice(false, at),
        beep: () => {
          if (!this.#closed) this.#observer.beep()
        },
        lost: () => this.#lose(new Error('what listens to the caller is gone')),
      })
    } catch (error) {
      sound?.close()
      queueMicrotask(() => this.#lose(error instanceof Error ? error : new Error(String(error))))
      return { track: SoundTrack.of(0.02), close: () => {} }
    }
  }

  #voice(speaks: boolean, at: number): void {
    if (this.#closed) return
    if (!speaks) this.#silentSince = this.#clock.now()
    else this.#words.goesOn(at)
    if (speaks && !this.#turns.open) this.#early.begins(at)
    this.#observer.voice(speaks, this.#timeOf(at), at)
    this.#apply(() => (speaks ? this.#turns.started(at) : this.#turns.stopped(at)))
    if (speaks) this.#vad.track.knowsVoice(at)
    if (speaks && this.#previewed) this.#withdraw()
  }

  #apply(move: () => TurnEffect[]): void {
    if (this.#closed) return
    for (const effect of move()) this.#do(effect)
    this.#attend()
  }

  #do(effect: TurnEffect): void {
    switch (effect.do) {
      case 'begin':
        return this.#observer.began(effect.goesOn === true)
      case 'ask':
        return this.#words.ask(effect.from, effect.to)
      case 'forget':
        return this.#words.forget()
      case 'end':
        return this.#ended(effect)
    }
  }

  /** Schedules the next step after a change. */
  #attend(): void {
    this.#cancelTimer()
    if (this.#closed) return
    const { due, from, unaskedFrom } = this.#turns
    this.#vad.track.needs('turn', from)
    if (due !== undefined) {
      const ms = Math.max(0, due - this.#vad.track.length) / samplesPerMs
      this.#cancelTimer = this.#clock.after(ms, () => this.#apply(() => this.#turns.reached()))
    }
    const how = unaskedFrom === undefined ? undefined : this.#partialMode
    if (unaskedFrom !== undefined && how) this.#early.attend(how, unaskedFrom)
    else this.#early.stop()
  }

  get #partialMode(): PartialMode | undefined {
    if (this.#transcriber.emitsPartials) return undefined
    if (this.#interests.size > 0) return 'guess'
    return this.#transcriber.glances && this.#wantsInterim() ? 'glance' : undefined
  }

  #preview(text: string, { confidence }: Transcript, { probability = 0 }: TurnEnd): void {
    if (this.#turns.silentFrom === undefined || text === '' || probability < likelyOver || (confidence ?? 1) < likelyHeard) return
    this.#previewed = true
    this.#observer.previewed({ text, endProbability: probability, ...(confidence !== undefined && { confidence }) })
  }

  #withdraw(): void {
    this.#previewed = false
    this.#observer.tookBack()
  }

  #understood(heard: Transcript): void {
    if (this.#closed || !this.#turns.open) return
    const { silentFrom } = this.#turns
    this.#observer.understood(heard, silentFrom === undefined ? 0 : this.#clock.now() - this.#timeOf(silentFrom))
  }

  #ended({ words, last, endpoint }: Extract<TurnEffect, { do: 'end' }>): void {
    this.#previewed = false
    const { transcript, at, end } = this.#words.latest ?? { transcript: { text: words }, at: this.#clock.now() }
    const speechEndedAt = this.#timeOf(last)
    const timing = {
      speechEndedAt,
      vadEndMs: this.#silentSince - speechEndedAt,
      endpointMs: (endpoint - last) / samplesPerMs,
      sttFinalMs: at - speechEndedAt,
    }
    const { provider } = this.#transcriber
    const recogniser = [provider, transcript.model].filter((part) => part !== undefined).join(' ')
    const by = recogniser !== '' && { recogniser }
    this.#observer.ended({ ...transcript, text: words.trim(), ...by, timing, ...(end && { end }) })
  }

  #timeOf(place: number): number {
    return this.#clock.now() - (this.#vad.track.length - place) / samplesPerMs
  }

  #lose(error: Error): void {
    if (this.#closed) return
    this.#end()
    const timing = { speechEndedAt: this.#clock.now(), vadEndMs: 0, endpointMs: 0, sttFinalMs: 0 }
    if (this.#turns.open) this.#observer.ended({ text: '', timing })
    this.#observer.lost(error)
  }

  #end(): void {
    this.#closed = true
    this.#cancelTimer()
    this.#words.forget()
    this.#early.stop()
    this.#transcriber.close()
    this.#vad.close()
  }
}

interface HearingDeps {
  leg: { readonly audio: Pick<Audio, 'listen'> }
  speech: Pick<Speech, 'vad' | 'stt'>
  clock: Clock
  language: SessionLanguage
  /** Replaces the embedded detector. */
  turnDetector?: TurnDetector | undefined
  /** Text of the assistant's last speech. */
  asked?: () => string | undefined
  /** True to emit partials, if the recogniser has capacity. */
  wantsInterim?: (() => boolean) | undefined
  /** `audio`: no speech recognition. */
  media?: 'audio' | 'both' | undefined
}

/** `text` is empty if the turn had no words. */
export interface HeardTurn extends Transcript {
  /** Provider and, if it has several, its model. */
  recogniser?: string
  /** Typed, not spoken. */
  typed?: true
  timing: TurnTiming
  /** Reason for the end of the turn. */
  end?: TurnEnd
}

interface HearingObserver {
  /** The caller's turn begins; `ended` follows. `goesOn`: without a pause after a turn of maximum length. */
  began(goesOn: boolean): void
  /** Partial transcript of the turn; `agoMs`: age of its last word. */
  understood(heard: Transcript, agoMs: number): void
  ended(turn: HeardTurn): void
  /** The caller pauses and has probably finished: `ended` with the same words follows, or `tookBack`. */
  previewed(preview: Preview): void
  /** The caller continues: the preview was incomplete. */
  tookBack(): void
  /** A possible voice at this time (milliseconds since the epoch). */
  noticed(at: number): void
  /** VAD result with its time (milliseconds since the epoch) and sample position. */
  voice(speaks: boolean, at: number, sample: number): void
  beep(): void
  problem(message: string): void
  /** Listening ended; an open turn has ended without words. */
  lost(error: Error): void
}

/** Recogniser methods that a conversation uses. */
type Recognition = Pick<
  Transcriber,
  'provider' | 'emitsPartials' | 'listen' | 'keepTo' | 'transcribe' | 'guess' | 'glances' | 'glance' | 'close'
>

const noWords = (): Promise<Transcript> => Promise.resolve({ text: '' })

/** For media without recognition: turns begin and end by voice alone. */
const noRecogniser: Recognition = {
  provider: undefined,
  emitsPartials: true, // disables polling
  listen: () => {},
  keepTo: () => {},
  transcribe: noWords,
  guess: noWords,
  glances: false,
  glance: noWords,
  close: () => {},
}
