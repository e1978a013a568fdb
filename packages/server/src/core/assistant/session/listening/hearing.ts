import type { Clock } from '#core/kernel/ports/clock.ts'
import type { VadStream, SttOptions, Transcript } from '#core/kernel/ports/speech.ts'
import type { LegSound } from '#core/kernel/ports/telephony.ts'
import { samplesPerMs, SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { askAfterMs, minSilence, type EndpointingPolicy } from '#core/speech/turns/turn-silence.ts'
import { Transcriber } from '#core/speech/voices/transcriber.ts'
import type { TurnEnd } from '../conversation/conversation.ts'
import { EarlyWords, type PartialMode } from './early-words.ts'
import { EndJudge } from './end-judge.ts'
import type { HearingObserver, HearingDeps } from './hearing-parts.ts'
import { noRecogniser, type Recognition } from './no-recogniser.ts'
import { Questions } from './questions.ts'
import { TurnTaking, type TurnEffect } from './turn-taking.ts'
import { TurnWords } from './turn-words.ts'

type Interest = 'barge-in' | 'answering machine'

/** While a recogniser is asked for partial results a breath is no reason to begin anew. */
const betweenGuessesMs = 200

/** A pause like that is worth a question that may be in vain, and words like these. */
const likelyOver = 0.5
const likelyHeard = 0.5

/** Listens to the caller: whose turn it is, and what was said. */
export class Hearing {
  readonly #clock: Clock
  readonly #observer: HearingObserver
  readonly #turns = new TurnTaking({
    shortestMs: () => minSilence(this.#patience),
    askAfterMs: (turnMs) => (this.#interests.size > 0 ? betweenGuessesMs : askAfterMs(turnMs, this.#patience)),
  })
  readonly #vad: VadStream
  readonly #transcriber: Recognition
  /** What is being found out: close() waits for it. */
  readonly #questions = new Questions((error) => this.#lose(error))
  readonly #words: TurnWords
  #patience: EndpointingPolicy
  #cancelTimer: () => void = () => {}
  /** When the detector reported the end of speech. */
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

  /** And at this moment the voice is heard. */
  get voiced(): boolean {
    return !this.#closed && this.#turns.voiced
  }

  /** What is said, without the echo of what is told. */
  get track(): SoundTrack {
    return this.#vad.track
  }

  /** How much time the caller is given; applies from the next pause on. */
  get patience(): EndpointingPolicy {
    return this.#patience
  }

  set patience(endpointing: EndpointingPolicy) {
    this.#patience = endpointing
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
    await this.#questions.done()
  }

  #openTranscriber(deps: HearingDeps): Transcriber {
    return new Transcriber(deps, this.#vad.track, {
      partial: (text) => this.#understood({ text }),
      problem: (message) => this.#observer.problem(message),
      lost: (error) => this.#lose(error),
    })
  }

  /** If listening cannot even begin, that is reported like its loss. */
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

  /** What has to be done next, now that something has changed. */
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
