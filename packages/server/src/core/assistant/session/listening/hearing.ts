import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Ear, Speech, SttOptions, Transcript } from '#core/kernel/ports/speech.ts'
import type { TurnDetector } from '#core/kernel/ports/assistant/turn-detector.ts'
import type { Leg, LegSound } from '#core/kernel/ports/telephony.ts'
import { samplesPerMs, SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { noLongerWanted } from '#core/kernel/work/no-longer-wanted.ts'
import { asDigits } from '#core/speech/spelling/as-digits.ts'
import { Transcriber } from '#core/speech/voices/transcriber.ts'
import { hasWords } from '../conversation/barge-in.ts'
import { askAfterMs, shortestSilence, type Patience } from '#core/speech/turns/turn-silence.ts'
import { EarlyWords, type Curiosity } from './early-words.ts'
import { EndJudge } from './end-judge.ts'
import { SaidSoFar } from './said-so-far.ts'
import type { SessionLanguage } from '../language/session-language.ts'
import type { Preview, TurnEnd, TurnTiming } from '../conversation/conversation.ts'
import { TurnTaking, type TurnEffect } from './turn-taking.ts'

export interface HearingParts {
  leg: Leg
  speech: Speech
  clock: Clock
  language: SessionLanguage
  /** In place of the embedded one. */
  turnDetector?: TurnDetector | undefined
  /** What is said is told while it is said, as far as that keeps nobody waiting. */
  wantsInterim?: (() => boolean) | undefined
}

/** `text` is empty when there were no words in it. */
export interface HeardTurn extends Transcript {
  /** Who wrote it down: the provider and, where it has several, the model. */
  recogniser?: string
  /** Typed, not spoken. */
  typed?: true
  timing: TurnTiming
  /** Why it was over. */
  end?: TurnEnd
}

export interface HearingObserver {
  /** The caller's turn begins; `ended` follows. `goesOn`: without a pause after the turn before, which was too long. */
  began(goesOn: boolean): void
  /** A partial transcript of the turn; `agoMs`: how long ago its last word was said. */
  understood(heard: Transcript, agoMs: number): void
  ended(turn: HeardTurn): void
  /** The caller pauses after this, and has probably finished: `ended` with the same words follows, or `tookBack`. */
  previewed(preview: Preview): void
  /** The caller goes on: what was told by `previewed` was not all. */
  tookBack(): void
  /** Perhaps a voice, at this time (milliseconds since the epoch). */
  noticed(at: number): void
  /** The voice detector's result, at this time (milliseconds since the epoch). */
  voice(speaks: boolean, at: number): void
  beep(): void
  problem(message: string): void
  /** Nothing more is heard; a turn that was going on has ended without words. */
  lost(error: Error): void
}

type Interest = 'barge-in' | 'answering machine'

/** While a recogniser is asked for partial results a breath is no reason to begin anew. */
const betweenGuessesMs = 200

/** A pause like that is worth a question that may be in vain, and words like these. */
const likelyOver = 0.5
const likelyHeard = 0.5

/** Where words are awaited, or would be: what was understood of such a turn in an earlier pause is not listened to again. */
const longTurnMs = 8000

/** Listens to the caller: whose turn it is, and what was said. */
export class Hearing {
  readonly #clock: Clock
  readonly #observer: HearingObserver
  readonly #turns = new TurnTaking({
    shortestMs: () => shortestSilence(this.#patience),
    askAfterMs: (turnMs) => (this.#interests.size > 0 ? betweenGuessesMs : askAfterMs(turnMs, this.#patience)),
  })
  readonly #judge: EndJudge
  readonly #soFar = new SaidSoFar()
  readonly #ear: Ear
  readonly #transcriber: Transcriber
  /** What is being found out: close() waits for it. */
  readonly #questions = new Set<Promise<void>>()
  readonly #language: SessionLanguage
  #patience: Patience
  #cancelTimer: () => void = () => {}
  /** What was said in the turn. */
  #question: AbortController | undefined
  #transcript: { transcript: Transcript; at: number; end?: TurnEnd } | undefined
  /** When the detector reported the end of speech. */
  #silentSince = 0
  #previewed = false
  readonly #interests = new Set<Interest>()
  readonly #early: EarlyWords
  readonly #wantsInterim: () => boolean
  #closed = false

  constructor(parts: HearingParts, patience: Patience, observer: HearingObserver) {
    this.#clock = parts.clock
    this.#language = parts.language
    this.#observer = observer
    this.#patience = patience
    this.#judge = new EndJudge(parts, (message) => observer.problem(message))
    this.#ear = this.#listen(parts)
    this.#ear.track.needs('turn', undefined)
    this.#transcriber = new Transcriber(parts, this.#ear.track, {
      partial: (text) => this.#understood({ text }),
      problem: (message) => observer.problem(message),
      lost: (error) => this.#lose(error),
    })
    this.#wantsInterim = parts.wantsInterim ?? (() => false)
    this.#early = new EarlyWords({
      clock: parts.clock,
      track: this.#ear.track,
      transcriber: this.#transcriber,
      ask: (answer, signal, take) => this.#await(answer, signal, take),
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

  /** And at this moment the voice is heard. */
  get voiced(): boolean {
    return !this.#closed && this.#turns.voiced
  }

  /** How much time the caller is given; applies from the next pause on. */
  get patience(): Patience {
    return this.#patience
  }

  set patience(patience: Patience) {
    this.#patience = patience
  }

  /** Providers: the first that can; the embedded one is always the last. */
  recogniseWith(providers: readonly string[], options: SttOptions): void {
    if (this.#closed) return
    this.#transcriber.listen(providers, options)
  }

  /** The caller speaks this one of the languages. Between two turns. */
  keepTo(language: string): void {
    if (!this.#closed) this.#transcriber.keepTo(language)
  }

  /** What is said is of interest before the turn is over: it may end a speech, or tell who answered. */
  follow(why: Interest, wanted: boolean): void {
    if (wanted) this.#interests.add(why)
    else this.#interests.delete(why)
    this.#attend()
  }

  async close(): Promise<void> {
    if (!this.#closed) this.#end()
    await Promise.all(this.#questions)
  }

  /** If listening cannot even begin, that is reported like its loss. */
  #listen({ speech, leg }: HearingParts): Ear {
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
    else this.#soFar.goesOn(at)
    if (speaks && !this.#turns.open) this.#early.begins(at)
    this.#observer.voice(speaks, this.#timeOf(at))
    this.#apply(() => (speaks ? this.#turns.started(at) : this.#turns.stopped(at)))
    if (speaks) this.#ear.track.knowsVoice(at)
    if (speaks && this.#previewed) this.#takeBack()
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
        return this.#ask(effect.from, effect.to)
      case 'forget':
        return this.#question?.abort(noLongerWanted)
      case 'end':
        return this.#ended(effect)
    }
  }

  /** What has to be done next, now that something has changed. */
  #attend(): void {
    this.#cancelTimer()
    if (this.#closed) return
    const { due, from, unaskedFrom } = this.#turns
    this.#ear.track.needs('turn', from)
    if (due !== undefined) {
      const ms = Math.max(0, due - this.#ear.track.length) / samplesPerMs
      this.#cancelTimer = this.#clock.after(ms, () => this.#apply(() => this.#turns.reached()))
    }
    const how = unaskedFrom === undefined ? undefined : this.#curiosity
    if (unaskedFrom !== undefined && how) this.#early.attend(how, unaskedFrom)
    else this.#early.stop()
  }

  get #curiosity(): Curiosity | undefined {
    if (this.#transcriber.tellsPartials) return undefined
    if (this.#interests.size > 0) return 'guess'
    return this.#transcriber.glances && this.#wantsInterim() ? 'glance' : undefined
  }

  #ask(from: number, to: number): void {
    this.#question?.abort(noLongerWanted)
    const question = new AbortController()
    this.#question = question
    const { signal } = question
    const last = this.#turns.silentFrom
    const inParts = this.#inParts(from, to)
    const asked = this.#transcriber.transcribe(inParts ? this.#soFar.unknownFrom(from) : from, to, signal)
    this.#await(asked, signal, (answer) => {
      const all = inParts ? this.#soFar.with(from, answer) : answer
      if (last !== undefined && last === this.#turns.silentFrom) this.#soFar.understood({ turn: from, last, to, transcript: all })
      const transcript = this.#sinceVoice(this.#asExpected(all), from)
      this.#transcript = { transcript, at: this.#clock.now() }
      this.#understood(transcript)
      const words = hasWords(transcript.text) ? transcript.text : ''
      const { language = this.#language.now, tail, lastSound } = transcript
      const sound = (seconds: number): Int16Array<ArrayBuffer> =>
        this.#ear.track.read(Math.max(from, to - seconds * 1000 * samplesPerMs), to)
      const pause = { text: words, language, sound, ...(tail && { tail }), ...(lastSound && { lastSound }) }
      this.#await(this.#judge.judge(pause, this.#patience, signal), signal, (end) => {
        if (this.#transcript) this.#transcript.end = end
        this.#apply(() => this.#turns.transcribed(words, end.silenceMs))
        this.#preview(words.trim(), transcript, end)
      })
    })
  }

  /** Where the time counts that a recogniser takes for the whole. Those that listen all the time know the beginning already. */
  #inParts(from: number, to: number): boolean {
    if (this.#transcriber.provider !== 'embedded') return false
    return this.#patience.expects === 'digits' || to - from > longTurnMs * samplesPerMs
  }

  #preview(text: string, { confidence }: Transcript, { probability = 0 }: TurnEnd): void {
    if (this.#turns.silentFrom === undefined || text === '' || probability < likelyOver || (confidence ?? 1) < likelyHeard) return
    this.#previewed = true
    this.#observer.previewed({ text, endProbability: probability, ...(confidence !== undefined && { confidence }) })
  }

  #takeBack(): void {
    this.#previewed = false
    this.#observer.tookBack()
  }

  /** Digits, where those were asked for. */
  #asExpected(heard: Transcript): Transcript {
    const { text, language = this.#language.now } = heard
    return this.#patience.expects === 'digits' ? { ...heard, text: asDigits(text, language) } : heard
  }

  /** Recognisers count from what they were asked for, which begins before the voice. */
  #sinceVoice(heard: Transcript, from: number): Transcript {
    if (!heard.words) return heard
    const ms = Math.round((this.#turns.voicedFrom - from) / samplesPerMs)
    const words = heard.words.map((word) => ({
      ...word,
      startMs: Math.max(0, word.startMs - ms),
      endMs: Math.max(0, word.endMs - ms),
    }))
    return { ...heard, words }
  }

  /** Nothing is called after the signal was aborted. */
  #await<T>(answer: Promise<T>, signal: AbortSignal, take: (answer: T) => void): void {
    const question = answer
      .then((given) => {
        if (!signal.aborted) take(given)
      })
      .catch((error: unknown) => {
        if (!signal.aborted) this.#lose(error instanceof Error ? error : new Error(String(error)))
      })
      .finally(() => this.#questions.delete(question))
    this.#questions.add(question)
  }

  #understood(heard: Transcript): void {
    if (this.#closed || !this.#turns.open) return
    const { silentFrom } = this.#turns
    this.#observer.understood(heard, silentFrom === undefined ? 0 : this.#clock.now() - this.#timeOf(silentFrom))
  }

  #ended({ words, last, endpoint }: Extract<TurnEffect, { do: 'end' }>): void {
    this.#previewed = false
    const { transcript, at, end } = this.#transcript ?? { transcript: { text: words }, at: this.#clock.now() }
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
    return this.#clock.now() - (this.#ear.track.length - place) / samplesPerMs
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
    this.#question?.abort(noLongerWanted)
    this.#early.stop()
    this.#transcriber.close()
    this.#ear.close()
  }
}
