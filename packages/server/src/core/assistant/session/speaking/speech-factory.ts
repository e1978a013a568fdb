import type { ActionOf } from '@offhook/contract/assistant/actions.ts'
import { WavRefused } from '#core/kernel/sound/pcm-wav.ts'
import { noLongerWanted } from '#core/kernel/work/waiting.ts'
import { Speaker } from '#core/speech/voices/speaker.ts'
import { Lexicon } from '#core/speech/voices/lexicon.ts'
import { chooseVoices } from '#core/speech/voices/voices.ts'
import { InlineTags } from '#core/speech/ssml/inline-tags.ts'
import { isSpeakable } from '#core/speech/ssml/is-speakable.ts'
import { readSpeech } from '#core/speech/ssml/read-speech.ts'
import { bargeInRule } from '@offhook/contract/assistant/barge-in.ts'
import { noBargeIn, type ConversationDeps } from '../conversation.ts'
import { readCustomerWav, partsOf, soundPart, type PartMaking, type SpeechPart, utterancePart } from './speech-parts.ts'
import { SpeechPlayout, type SpeechOrder } from './speech-playout.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { UtteranceSplitter } from '#core/speech/text-normalization/sentences.ts'

type Order = Pick<SpeechOrder, 'written' | 'parts' | 'provider' | 'abandon' | 'unsaid' | 'rests' | 'aside'>

/** Number of cut streams to remember, so that their later parts are ignored. */
const cutStreamsKept = 100

/** Turns speak and audio actions into speeches. */
export class SpeechFactory {
  readonly #deps: ConversationDeps
  readonly #lexicon: Lexicon
  readonly #problem: (eventId: string, message: string) => void
  /** Streams that may get more parts. */
  readonly #streams = new Map<string, StreamedSpeech>()
  /** Cut streams; their later parts are ignored. */
  readonly #cutStreams = new Set<string>()

  constructor(deps: ConversationDeps, problem: (eventId: string, message: string) => void) {
    this.#deps = deps
    this.#lexicon = new Lexicon(deps.flow.settings.pronunciations ?? [])
    this.#problem = problem
  }

  /** More parts of this stream may arrive. */
  isStreaming(id: string): boolean {
    return this.#streams.get(id)?.ended === false
  }

  /** Undefined if the action continues an existing or cut speech. */
  speak(action: ActionOf<'speak'>, eventId: string, aside?: () => void): SpeechPlayout | undefined {
    const { text, ssml } = action
    if (action.stream_id !== undefined) return this.#stream(action, action.stream_id, eventId)
    const { making, language, abandon } = this.#making(action, eventId)
    const reading = readSpeech({ text, ssml, language })
    for (const problem of reading.problems) making.problem(problem)
    const written = { ...(ssml === undefined && { text: text ?? '' }), ...(ssml !== undefined && { ssml }) }
    return this.#playout(action, eventId, {
      written: () => written,
      parts: partsOf(reading, making),
      provider: () => making.speaker.provider,
      unsaid: () => making.unsaid,
      abandon,
      ...(aside && { aside }),
    })
  }

  /** Speech outside the conversation. The caller's words do not stop it, because it is short and they do not answer it. */
  filler(action: ActionOf<'speak'>, eventId: string, sounds: () => void): SpeechPlayout | undefined {
    return this.speak({ ...action, barge_in: { strategy: 'manual' } }, eventId, sounds)
  }

  speaks(language: string): boolean {
    const { speech, flow } = this.#deps
    return chooseVoices(speech, { language }, flow.settings.tts, language).voices.some(({ tts }) => tts.speaks(language))
  }

  audio(action: ActionOf<'audio'>, eventId: string): SpeechPlayout {
    let refused = false
    return this.#playout(action, eventId, {
      written: () => ({}),
      parts: this.#recorded(action, eventId, () => (refused = true)),
      provider: () => undefined,
      unsaid: () => refused,
      abandon: () => {},
    })
  }

  /** Live audio from the endpoint. Silence in it is not a stall. */
  live(eventId: string, order: Pick<SpeechOrder, 'parts' | 'abandon'>): SpeechPlayout {
    const { leg, clock, flow } = this.#deps
    const rule = bargeInRule(undefined, flow.settings.bargeIn)
    const about = { eventId, action: 'audio', rule, protect: false, streamId: undefined, wantsAnswer: false, live: true } as const
    const silent = { written: () => ({}), provider: () => undefined, unsaid: () => false, rests: () => true }
    return new SpeechPlayout({ ...about, ...silent, ...order }, leg, clock)
  }

  /** Reports why `audio` cannot be played. */
  refuse(error: unknown, eventId: string): void {
    if (!(error instanceof WavRefused)) throw error
    this.#problem(eventId, `audio: ${error.message}`)
  }

  async *#recorded({ audio }: ActionOf<'audio'>, eventId: string, refused: () => void): AsyncGenerator<SpeechPart> {
    try {
      yield soundPart(readCustomerWav(audio).sound)
    } catch (error) {
      refused()
      this.refuse(error, eventId)
    }
  }

  #stream(action: ActionOf<'speak'>, id: string, eventId: string): SpeechPlayout | undefined {
    const last = action.last ?? true
    if (this.#cutStreams.has(id)) {
      if (last) this.#cutStreams.delete(id)
      return undefined
    }
    const known = this.#streams.get(id)
    const stream = known && !known.ended ? known : undefined
    if (stream) {
      stream.append(action)
      if (last) stream.end()
      return undefined
    }
    return this.#openStream(action, id, eventId, last)
  }

  #openStream(action: ActionOf<'speak'>, id: string, eventId: string, last: boolean): SpeechPlayout {
    const { making, language, abandon } = this.#making(action, eventId)
    const stream = new StreamedSpeech(this.#deps.clock, language, making)
    stream.append(action)
    if (last) stream.end()
    this.#streams.set(id, stream)
    return this.#playout(action, eventId, {
      written: () => ({ text: stream.text }),
      parts: stream.parts(),
      provider: () => making.speaker.provider,
      unsaid: () => making.unsaid || (stream.text !== '' && !isSpeakable(stream.text)),
      rests: () => stream.asks,
      abandon: () => {
        if (this.#streams.get(id) === stream) this.#streams.delete(id)
        if (!stream.ended) this.#rememberCut(id)
        stream.end()
        abandon()
      },
    })
  }

  #rememberCut(id: string): void {
    this.#cutStreams.add(id)
    const [oldest] = this.#cutStreams
    if (this.#cutStreams.size > cutStreamsKept && oldest !== undefined) this.#cutStreams.delete(oldest)
  }

  #making(action: ActionOf<'speak'>, eventId: string): { making: PartMaking; language: string; abandon: () => void } {
    const { speech, flow, cache, clock, outbound, leg } = this.#deps
    const problem = (message: string): void => this.#problem(eventId, message)
    const choice = chooseVoices(speech, action.tts, flow.settings.tts, this.#deps.language.own)
    const stop = new AbortController()
    const making = {
      speaker: new Speaker({ cache, clock, occasion: { call: leg.id }, lexicon: this.#lexicon }, choice, problem),
      outbound,
      signal: stop.signal,
      problem,
      unsaid: false,
    }
    return { making, language: choice.voices[0]?.language ?? this.#deps.language.own, abandon: () => stop.abort(noLongerWanted) }
  }

  #playout(action: ActionOf<'speak'> | ActionOf<'audio'>, eventId: string, order: Order): SpeechPlayout {
    const { leg, clock, flow } = this.#deps
    const speak = action.type === 'speak' ? action : undefined
    const protect = speak?.protect === true
    const rule = protect ? noBargeIn : bargeInRule(action.barge_in, flow.settings.bargeIn)
    const wantsAnswer = speak !== undefined && (speak.expects ?? 'anything') !== 'anything'
    const about = { eventId, action: action.type, rule, protect, streamId: speak?.stream_id, wantsAnswer }
    return new SpeechPlayout({ ...about, ...order }, leg, clock)
  }
}

/** Maximum length of one action's text. */
const maxTextLength = 10_000
/** Milliseconds without text after which a stream counts as ended, so that a forgotten last part does not block other actions. */
const abandonedMs = 5_000
/** Milliseconds without text after which an apparent end of a sentence counts as one. */
const sentencePauseMs = 250
const questionEnd = /\?["'”’»)\]]*\s*$/
const sentenceEnd = /[.!?…:]["'”’»)\]]*\s*$/
const withoutLastTags = (text: string): string => text.slice(-200).replace(/(?:<[^<>]{1,100}>\s*)+$/, '')

/** A speech whose text arrives in parts; each sentence is spoken while later ones arrive. */
class StreamedSpeech {
  readonly #clock: Clock
  readonly #language: string
  readonly #making: PartMaking
  readonly #tags = new InlineTags()
  readonly #splitter: UtteranceSplitter
  readonly #ready: (Iterable<SpeechPart> | AsyncIterable<SpeechPart>)[] = []
  #text = ''
  #ended = false
  #full = false
  #cancelTimers: () => void = () => {}
  #change = Promise.withResolvers<void>()

  constructor(clock: Clock, language: string, making: PartMaking) {
    this.#clock = clock
    this.#language = language
    this.#making = making
    this.#splitter = new UtteranceSplitter(language)
  }

  /** All text received. */
  get text(): string {
    return this.#text
  }

  get ended(): boolean {
    return this.#ended
  }

  /** The text received so far ends with a question. */
  get asks(): boolean {
    return questionEnd.test(withoutLastTags(this.#text))
  }

  append({ text, ssml }: { text?: string | undefined; ssml?: string | undefined }): void {
    if (this.#ended || this.#full) return
    const piece = ssml ?? text ?? ''
    if (this.#text.length + piece.length > maxTextLength) return this.#fill()
    this.#text += piece
    if (ssml !== undefined || text?.trimStart().startsWith('<speak')) this.#addDocument(text, ssml)
    else this.#addText(this.#tags.feed(text ?? ''))
    this.#watch()
  }

  end(): void {
    if (this.#ended) return
    this.#cancelTimers()
    this.#addRest()
    this.#ended = true
    this.#changed()
  }

  async *parts(): AsyncGenerator<SpeechPart> {
    for (;;) {
      const next = this.#ready.shift()
      if (next) yield* next
      else if (this.#ended) return
      else await this.#change.promise
    }
  }

  /** Rejects shorter parts too: no text may follow an omitted part. */
  #fill(): void {
    this.#full = true
    this.#addRest()
    this.#making.problem(`text: a speech has at most ${maxTextLength} characters; the rest of the stream is not said`)
  }

  #addText(parts: ReturnType<InlineTags['feed']>): void {
    for (const part of parts) {
      this.#add(part.kind === 'text' ? this.#splitter.feed(part.text) : this.#splitter.flush())
      if (part.kind === 'silence' && part.ms > 0) this.#push([soundPart({ silenceMs: part.ms })])
    }
  }

  #addRest(): void {
    this.#addText(this.#tags.flush())
    this.#add(this.#splitter.flush())
  }

  #addDocument(text: string | undefined, ssml: string | undefined): void {
    this.#addRest()
    const reading = readSpeech({ text, ssml, language: this.#language })
    for (const problem of reading.problems) this.#making.problem(problem)
    this.#push(partsOf(reading, this.#making))
  }

  #add(utterances: readonly string[]): void {
    if (utterances.length === 0) return
    const prosody = { language: this.#language, speed: 1, pitch: 0, gainDb: 0 }
    this.#push(utterances.map((utterance) => utterancePart(utterance, prosody, this.#making)))
  }

  #push(parts: Iterable<SpeechPart> | AsyncIterable<SpeechPart>): void {
    this.#ready.push(parts)
    this.#changed()
  }

  #watch(): void {
    this.#cancelTimers()
    const abandoned = this.#clock.after(abandonedMs, () => this.end())
    const paused = sentenceEnd.test(withoutLastTags(this.#text))
      ? this.#clock.after(sentencePauseMs, () => this.#add(this.#splitter.flush()))
      : () => {}
    this.#cancelTimers = () => {
      abandoned()
      paused()
    }
  }

  #changed(): void {
    this.#change.resolve()
    this.#change = Promise.withResolvers()
  }
}
