import type { Clock } from '#core/kernel/ports/clock.ts'
import { UtteranceSplitter } from '#core/speech/text-normalization/sentences.ts'
import { readSpeech } from '#core/speech/ssml/read-speech.ts'
import { partsOf, utterancePart, type PartMaking, type SpeechPart } from './speech-parts.ts'

/** As long as the text of one action may be. */
const maxTextLength = 10_000
/** A stream that gets no more text for this long has ended: what waits for its end does not wait for a piece that was forgotten. */
const abandonedMs = 5_000
/** If no text follows for this long, what looks like the end of a sentence is one. */
const sentencePauseMs = 250
const questionEnd = /\?["'”’»)\]]*\s*$/
const sentenceEnd = /[.!?…:]["'”’»)\]]*\s*$/

/** A speech whose text arrives piece by piece; each sentence is spoken while the rest is still coming. */
export class StreamedSpeech {
  readonly #clock: Clock
  readonly #language: string
  readonly #making: PartMaking
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

  /** All that came. */
  get text(): string {
    return this.#text
  }

  get ended(): boolean {
    return this.#ended
  }

  /** It ends with a question, for now. */
  get asks(): boolean {
    return questionEnd.test(this.#text)
  }

  append({ text, ssml }: { text?: string | undefined; ssml?: string | undefined }): void {
    if (this.#ended || this.#full) return
    const piece = ssml ?? text ?? ''
    if (this.#text.length + piece.length > maxTextLength) return this.#fill()
    this.#text += piece
    if (ssml !== undefined || text?.trimStart().startsWith('<speak')) this.#addDocument(text, ssml)
    else this.#add(this.#splitter.feed(text ?? ''))
    this.#watch()
  }

  end(): void {
    if (this.#ended) return
    this.#cancelTimers()
    this.#add(this.#splitter.flush())
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

  /** Also when a shorter piece would still fit: what is left out must not be followed by more. */
  #fill(): void {
    this.#full = true
    this.#add(this.#splitter.flush())
    this.#making.problem(`text: a speech has at most ${maxTextLength} characters; the rest of the stream is not said`)
  }

  #addDocument(text: string | undefined, ssml: string | undefined): void {
    this.#add(this.#splitter.flush())
    const reading = readSpeech({ text, ssml, language: this.#language })
    for (const problem of reading.problems) this.#making.problem(problem)
    this.#ready.push(partsOf(reading, this.#making))
    this.#changed()
  }

  #add(utterances: readonly string[]): void {
    if (utterances.length === 0) return
    const prosody = { language: this.#language, speed: 1, pitch: 0, gainDb: 0 }
    this.#ready.push(utterances.map((utterance) => utterancePart(utterance, prosody, this.#making)))
    this.#changed()
  }

  #watch(): void {
    this.#cancelTimers()
    const abandoned = this.#clock.after(abandonedMs, () => this.end())
    const paused = sentenceEnd.test(this.#text) ? this.#clock.after(sentencePauseMs, () => this.#add(this.#splitter.flush())) : () => {}
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
