import type { Stt, SttOptions } from '#core/kernel/ports/speech.ts'
import { G711 } from '#media/codec/g711.ts'
import { mainLanguage } from '#core/speech/text-normalization/main-language.ts'
import type { Heard, LiveDialect, LiveFault, LiveReader } from './live-connection.ts'
import type { LiveStreams } from './live-streams.ts'
import type { Provider } from './provider.ts'

const rate = 8000
const maxTerms = 50
const maxTermLength = 20

export interface ElevenLabsSttOptions {
  /** https://api.elevenlabs.io */
  url: string
  key: string
  model: string
}

export const elevenLabsStt = (provider: Provider, options: ElevenLabsSttOptions, streams: LiveStreams): Stt => ({
  name: 'eleven_labs',
  hears: () => true,
  open: (track, inputs, observer) => streams.open(provider, elevenLabsDialect(provider, options, inputs), track, observer),
})

const elevenLabsDialect = (
  provider: Provider,
  { url, key, model }: ElevenLabsSttOptions,
  { languages, vocabulary }: SttOptions,
): LiveDialect => {
  const codec = new G711('PCMU')
  const query = new URLSearchParams({ model_id: model, audio_format: 'ulaw_8000', commit_strategy: 'manual' })
  // It takes one language or finds out itself.
  if (languages.length === 1 && languages[0] !== undefined) query.set('language_code', mainLanguage(languages[0]))
  const terms = vocabulary.filter((term) => term.trim() !== '' && term.length <= maxTermLength)
  for (const term of terms.slice(0, maxTerms)) query.append('keyterms', term)
  return {
    url: `${url.replace(/^http/, 'ws')}/v1/speech-to-text/realtime?${query.toString()}`,
    headers: { 'xi-api-key': key },
    sound(samples) {
      const bytes = Buffer.alloc(samples.length)
      codec.encode(samples, bytes, 0)
      return chunk(bytes.toString('base64'), false)
    },
    finish: chunk('', true),
    reader: (start) => new ElevenLabsReader(start, provider),
  }
}

const chunk = (sound: string, commit: boolean): string =>
  JSON.stringify({ message_type: 'input_audio_chunk', audio_base_64: sound, sample_rate: rate, commit })

/** The same would happen on a new connection. */
const lasting: Record<string, number> = {
  auth_error: 401,
  unaccepted_terms: 403,
  quota_exceeded: 402,
  rate_limited: 429,
  resource_exhausted: 429,
}
/** There was too little to be worth a text; the connection goes on. */
const harmless = ['commit_throttled', 'insufficient_audio_activity', 'warning']

/** Each commit ends a piece; what is said is only known to lie between two of them. */
class ElevenLabsReader implements LiveReader {
  readonly #provider: Provider
  readonly #commits: number[] = []
  #since: number

  constructor(start: number, provider: Provider) {
    this.#since = start
    this.#provider = provider
  }

  finishing(place: number): void {
    this.#commits.push(place)
  }

  read({ message_type: type, text, error }: Record<string, unknown>, sent: number): Heard | LiveFault | undefined {
    if (type === 'partial_transcript') return { from: this.#since, to: sent, text: wordsOf(text), final: false }
    if (type === 'committed_transcript') return this.#committed(wordsOf(text), sent)
    if (typeof type === 'string' && harmless.includes(type)) this.#commits.shift()
    else if (typeof type === 'string' && (error !== undefined || type.endsWith('error'))) return this.#fault(type)
    return undefined
  }

  /** Without having been asked it commits after a minute and a half. */
  #committed(text: string, sent: number): Heard {
    const from = this.#since
    this.#since = this.#commits.shift() ?? sent
    return { from, to: this.#since, text, final: true }
  }

  #fault(type: string): LiveFault {
    const status = lasting[type]
    if (status !== undefined) return { fault: this.#provider.refusal(status, { detail: type }), again: false }
    return { fault: this.#provider.fault(`reports a fault (${/^\w{1,60}$/.test(type) ? type : 'unknown'})`), again: true }
  }
}

const wordsOf = (text: unknown): string => {
  if (typeof text !== 'string') throw new Error('A transcript without a text')
  return text.trim()
}
