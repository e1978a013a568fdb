import type { CallFigures } from '@offhook/contract/assistant/call-figures.ts'
import { isAudible } from '#adapters/speech/callers/line-sound.ts'
import { wordErrors } from '#adapters/speech/callers/word-errors.ts'
import { frameMs, type SaidAt } from './microphone.ts'

/** Gaps that do not end a sound, and the silence after which the assistant has stopped. */
const gapMs = 60
const stopMs = 300
/** Milliseconds after the caller's last sound in which the words may still stop the assistant. */
const graceMs = 1_500

export interface SaidSentence {
  text: string
  language: string
  /** It is said into the assistant's speech: to stop it, or as a back-channel. */
  into: 'stop' | 'back-channel' | undefined
}

interface Sentence extends SaidSentence {
  at: SaidAt
  heard: string[]
  /** Turns that ended before the sentence did. */
  early: number
  /** The assistant was audible when it began. */
  intoSpeech: boolean
  /** It stopped the assistant. */
  stopped: boolean
  /** The answer to it has begun, according to the service, at this time. */
  answeredAt: number | undefined
  responseMs: number | undefined
}

interface Span {
  from: number
  to: number
}

/** Measures a spoken call: the caller's and the assistant's sound, against what the service reports. */
export class SoundFigures {
  readonly #sentences: Sentence[] = []
  /** When the assistant was audible. */
  readonly #spans: Span[] = []
  #falseStops = 0
  /** Texts that the service says while the assistant thinks. */
  readonly #fillers = new Set<string>()
  readonly #onResponse: (ms: number) => void

  constructor(onResponse: (ms: number) => void) {
    this.#onResponse = onResponse
  }

  /** The caller begins a sentence. */
  says(sentence: SaidSentence, now: number): SaidAt {
    const at: SaidAt = { from: undefined, to: undefined, ended: false }
    const intoSpeech = now - (this.#spans.at(-1)?.to ?? -Infinity) < stopMs
    this.#sentences.push({
      ...sentence,
      at,
      heard: [],
      early: 0,
      intoSpeech,
      stopped: false,
      answeredAt: undefined,
      responseMs: undefined,
    })
    return at
  }

  /** A turn of the caller was over; undefined: without words that were understood. */
  heard(text: string | undefined): void {
    const sentence = this.#sentences.at(-1)
    if (!sentence) return
    sentence.heard.push(text ?? '')
    if (!sentence.at.ended) sentence.early += 1
  }

  filler(text: string): void {
    this.#fillers.add(text)
  }

  /** The service begins to play something of the assistant. */
  speaks(text: string | undefined, now: number): void {
    const sentence = this.#sentences.at(-1)
    if (sentence && sentence.heard.length > 0 && !(text !== undefined && this.#fillers.has(text))) sentence.answeredAt ??= now
    this.#measureResponse()
  }

  /** The caller's voice has stopped a speech. */
  stopped(now: number): void {
    const sentence = this.#sentences.at(-1)
    const isMeant = sentence !== undefined && sentence.into !== 'back-channel' && !sentence.stopped && isSaid(sentence.at, now)
    if (isMeant) sentence.stopped = true
    else this.#falseStops += 1
  }

  /** A frame of the assistant's sound arrives. */
  plays(frame: Int16Array, now: number): void {
    if (!isAudible(frame)) return
    const last = this.#spans.at(-1)
    if (last && now - last.to <= gapMs) last.to = now + frameMs
    else this.#spans.push({ from: now, to: now + frameMs })
    this.#measureResponse()
  }

  get figures(): CallFigures {
    const meant = this.#sentences.filter(({ into }) => into !== 'back-channel')
    const interruptions = meant.filter(({ into, intoSpeech }) => into === 'stop' && intoSpeech)
    const words = meant.map(({ text, heard, language }) => wordErrors(text, heard.join(' '), language))
    return {
      responsesMs: this.#sentences.flatMap(({ responseMs }) => responseMs ?? []),
      stopsMs: interruptions.flatMap((sentence) => (sentence.stopped ? this.#stopOf(sentence) : [])),
      sentences: meant.length,
      cutOffs: meant.filter(({ heard, early }) => early > 0 || heard.length > 1).length,
      falseStops: this.#falseStops,
      missedInterruptions: interruptions.filter(({ stopped }) => !stopped).length,
      words: words.reduce((sum, count) => sum + count.words, 0),
      wordErrors: words.reduce((sum, count) => sum + count.errors, 0),
    }
  }

  /** First sound after the caller's last one that the service calls an answer. */
  #measureResponse(): void {
    const sentence = this.#sentences.at(-1)
    const span = this.#spans.at(-1)
    if (!sentence || !span || sentence.responseMs !== undefined || sentence.answeredAt === undefined) return
    const { to, ended } = sentence.at
    if (!ended || to === undefined || span.from < to || span.to < sentence.answeredAt - gapMs || sentence.early > 0) return
    sentence.responseMs = Math.round(span.from - to)
    this.#onResponse(sentence.responseMs)
  }

  #stopOf({ at: { from } }: Sentence): number[] {
    if (from === undefined) return []
    const first = this.#spans.findIndex(({ to }) => to > from)
    let end = this.#spans[first]
    if (!end) return [0]
    for (const span of this.#spans.slice(first + 1)) {
      if (span.from - end.to >= stopMs) break
      end = span
    }
    return [Math.max(0, Math.round(end.to - from))]
  }
}

/** It is being said, or was a moment ago. */
const isSaid = ({ to, ended }: SaidAt, now: number): boolean => !ended || (to !== undefined && now <= to + graceMs)
