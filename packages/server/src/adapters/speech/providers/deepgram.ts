import type { Stt, SttOptions } from '#core/kernel/ports/speech.ts'
import { G711 } from '#media/codec/g711.ts'
import { mainLanguage } from '#core/speech/text-normalization/main-language.ts'
import type { Heard, LiveDialect, LiveFault, LiveReader } from './live-connection.ts'
import { LiveStreams } from './live-stream.ts'
import type { Provider } from './provider.ts'

const rate = 8000
/** Languages that Deepgram distinguishes within one conversation. */
const mixable = 'de en es fr hi it ja nl pt ru'.split(' ')
const known = `${mixable.join(' ')} bg ca cs da el et fi hu id ko lt lv ms no pl ro sk sv th tr uk vi zh`.split(' ')
/** Deepgram accepts 500 tokens; a rare name has one token per two or three letters. */
const maxTermLetters = 1200

interface DeepgramOptions {
  /** https://api.deepgram.com */
  url: string
  key: string
  model: string
}

export const deepgramStt = (provider: Provider, options: DeepgramOptions, streams: LiveStreams): Stt => ({
  name: 'deepgram',
  hears: (language) => known.includes(mainLanguage(language)),
  open: (track, inputs, observer) => streams.open(provider, deepgramDialect(provider, options, inputs), track, observer),
})

const deepgramDialect = (provider: Provider, { url, key, model }: DeepgramOptions, inputs: SttOptions): LiveDialect => {
  const codec = new G711('PCMU')
  const query = new URLSearchParams({
    model,
    language: languageFor(inputs.languages),
    encoding: 'mulaw',
    sample_rate: String(rate),
    channels: '1',
    interim_results: 'true',
    smart_format: 'true',
    no_delay: 'true',
    endpointing: '300',
  })
  for (const term of termsOf(inputs.vocabulary)) query.append(model.startsWith('nova-3') ? 'keyterm' : 'keywords', term)
  return {
    url: `${url.replace(/^http/, 'ws')}/v1/listen?${query.toString()}`,
    headers: { authorization: `Token ${key}` },
    sound(samples) {
      const bytes = new Uint8Array(samples.length)
      codec.encode(samples, bytes, 0)
      return bytes
    },
    finish: JSON.stringify({ type: 'Finalize' }),
    keepAlive: JSON.stringify({ type: 'KeepAlive' }),
    goodbye: JSON.stringify({ type: 'CloseStream' }),
    reader: (start) => new DeepgramReader(start, provider),
  }
}

const languageFor = (languages: readonly string[]): string => {
  const wanted = [...new Set(languages.map(mainLanguage))]
  const [first] = wanted
  return first === undefined || (wanted.length > 1 && wanted.every((language) => mixable.includes(language))) ? 'multi' : first
}

const termsOf = (vocabulary: readonly string[]): string[] => {
  let letters = 0
  return vocabulary.filter((term) => term.trim() !== '' && (letters += term.length) <= maxTermLetters)
}

interface DeepgramResults {
  type: 'Results'
  start: number
  duration: number
  is_final?: boolean
  speech_final?: boolean
  from_finalize?: boolean
  channel?: { alternatives?: DeepgramAlternative[] }
}

interface DeepgramAlternative {
  transcript?: string
  confidence?: number
  languages?: string[]
  words?: { word: string; punctuated_word?: string; start: number; end: number; confidence?: number }[]
}

/** Times are seconds since the first sample of the connection. */
class DeepgramReader implements LiveReader {
  readonly #start: number
  readonly #provider: Provider
  readonly #finishing: number[] = []

  constructor(start: number, provider: Provider) {
    this.#start = start
    this.#provider = provider
  }

  finishing(place: number): void {
    this.#finishing.push(place)
  }

  read(message: Record<string, unknown>): Heard | LiveFault | undefined {
    if (message['type'] === 'Error') return { fault: this.#provider.fault('reports a fault of its own'), again: true }
    return message['type'] === 'Results' ? this.#heard(message as unknown as DeepgramResults) : undefined
  }

  #heard({ start, duration, is_final, speech_final, from_finalize, channel }: DeepgramResults): Heard {
    if (!Number.isFinite(start) || !Number.isFinite(duration)) throw new Error('A result without a place')
    const { transcript = '', confidence, words = [], languages = [] } = channel?.alternatives?.[0] ?? {}
    const end = this.#place(start + duration)
    // Answers the oldest request; it may end slightly earlier when only silence was left.
    const asked = from_finalize === true ? (this.#finishing.shift() ?? 0) : 0
    return {
      from: this.#place(start),
      to: Math.max(end, asked),
      text: transcript.trim(),
      final: is_final === true,
      pause: speech_final === true,
      words: words.map(({ word, punctuated_word: text = word, start: since, end: until, confidence: sure }) => ({
        text,
        from: this.#place(since),
        to: this.#place(until),
        ...(sure !== undefined && { confidence: sure }),
      })),
      ...(transcript !== '' && confidence !== undefined && { confidence }),
      ...(languages[0] !== undefined && { language: languages[0] }),
    }
  }

  #place(seconds: number): number {
    return this.#start + Math.round(seconds * rate)
  }
}
