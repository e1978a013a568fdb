import type { Stt, SttOptions, Tts, Utterance } from '#core/kernel/ports/speech.ts'
import { G711 } from '#media/codec/g711.ts'
import { mainLanguage } from '#core/speech/text-normalization/main-language.ts'
import type { Heard, LiveDialect, LiveFault, LiveReader } from './live-connection.ts'
import type { LiveStreams } from './live-stream.ts'
import type { Provider } from './provider.ts'
import type { ProviderHttp, ProviderReply } from './provider-http.ts'
import { providerTts, VoiceChoice, maxSoundBytes, readSound } from './provider-tts.ts'

const heardRate = 8000
const maxTerms = 50
const maxTermLength = 20

interface ElevenLabsSttOptions {
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
  // The API accepts one language or detects it.
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
  JSON.stringify({ message_type: 'input_audio_chunk', audio_base_64: sound, sample_rate: heardRate, commit })

/** Errors that a new connection would repeat. */
const lasting: Record<string, number> = {
  auth_error: 401,
  unaccepted_terms: 403,
  quota_exceeded: 402,
  rate_limited: 429,
  resource_exhausted: 429,
}
/** Too little sound for a text; the connection stays usable. */
const harmless = ['commit_throttled', 'insufficient_audio_activity', 'warning']

/** Each commit ends a segment; the words are only known to lie between two commits. */
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

  /** The provider commits after a minute and a half without a request. */
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

const spokenRate = 16_000

/** Voices of every account, by their common names. */
const namedVoices: Record<string, string> = {
  rachel: '21m00Tcm4TlvDq8ikWAM',
  sarah: 'EXAVITQu4vr4xnSDxMaL',
  george: 'JBFqnCBsd6RMkjVDRZzb',
  thomas: 'GBv7mTt0atIp3Br8iCZE',
}

interface ElevenLabsTtsOptions {
  /** https://api.elevenlabs.io */
  url: string
  key: string
  model: string
  /** A name or an id. */
  voice: string
}

export const elevenLabsTts = (http: ProviderHttp, options: ElevenLabsTtsOptions): Tts => {
  const voices = new VoiceChoice()
  const usual = voiceId(options.voice) ?? options.voice
  async function* synthesize(utterance: Utterance, signal: AbortSignal): AsyncGenerator<Int16Array> {
    const requested = utterance.voice === undefined ? undefined : voiceId(utterance.voice)
    const reply = await voices.ask(requested, usual, (voice) => askElevenLabs(http, options, utterance, voice, signal))
    yield* readSound(reply, spokenRate, spokenRate, http.provider)
  }
  return providerTts({
    name: 'eleven_labs',
    rate: spokenRate,
    ssml: false,
    speaks: () => true,
    voices: () => Object.keys(namedVoices).map((name) => ({ id: capital(name), name: capital(name) })),
    synthesize,
  })
}

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

const voiceId = (requested: string): string | undefined =>
  namedVoices[requested.toLowerCase()] ?? (/^[A-Za-z0-9]{16,40}$/.test(requested) ? requested : undefined)

const askElevenLabs = (
  http: ProviderHttp,
  { url, key, model }: ElevenLabsTtsOptions,
  { text, language, speed }: Utterance,
  voice: string,
  signal: AbortSignal,
): Promise<ProviderReply> => {
  // Older models reject the language parameter.
  const spoken = /_v2_5$|_v3/.test(model) ? { language_code: mainLanguage(language) } : {}
  const pace = speed === undefined || speed === 1 ? {} : { voice_settings: { speed: Math.min(1.2, Math.max(0.7, speed)) } }
  const body = JSON.stringify({ text, model_id: model, ...spoken, ...pace })
  const path = `/v1/text-to-speech/${encodeURIComponent(voice)}/stream?output_format=pcm_16000`
  const headers = { 'xi-api-key': key, 'content-type': 'application/json' }
  return http.post({ url: `${url}${path}`, headers, body, maxBytes: maxSoundBytes(text, spokenRate) }, signal)
}
