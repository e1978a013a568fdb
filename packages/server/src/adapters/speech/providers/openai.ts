import { FormData } from 'undici'
import type { Stt, SttOptions, Transcript, KnownVoice, Tts, Utterance } from '#core/kernel/ports/speech.ts'
import { mainLanguage } from '#core/speech/text-normalization/main-language.ts'
import type { ProviderHttp, ProviderReply } from './provider-http.ts'
import { utteranceStt } from './provider.ts'
import { providerTts, VoiceChoice, maxSoundBytes, readSound } from './provider-tts.ts'

/** Whisper reads at most 224 tokens of a prompt. */
const maxPromptLength = 600
const maxBytes = 200_000

interface OpenAiSttOptions {
  /** Base URL: https://api.openai.com/v1 */
  url: string
  key: string | undefined
  model: string
}

/** OpenAI and every server with a compatible audio API. */
export const openAiStt = (http: ProviderHttp, options: OpenAiSttOptions): Stt =>
  utteranceStt({ name: 'openai', hears: () => true, ask: (wav, inputs, signal) => transcribeByOpenAi(http, options, wav, inputs, signal) })

export const transcribeByOpenAi = async (
  http: ProviderHttp,
  { url, key, model }: OpenAiSttOptions,
  wav: Uint8Array,
  { languages, vocabulary }: SttOptions,
  signal: AbortSignal,
): Promise<Transcript> => {
  const body = new FormData()
  body.set('file', new Blob([new Uint8Array(wav)], { type: 'audio/wav' }), 'utterance.wav')
  body.set('model', model)
  body.set('response_format', 'json')
  // The API accepts one language or detects it.
  if (languages.length === 1 && languages[0] !== undefined) body.set('language', mainLanguage(languages[0]))
  if (vocabulary.length > 0) body.set('prompt', promptOf(vocabulary))
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const answer = await http.postForJson({ url: `${url}/audio/transcriptions`, headers, body, maxBytes }, signal)
  const { text, language } = (answer ?? {}) as { text?: unknown; language?: unknown }
  if (typeof text !== 'string') throw http.provider.fault('answers without a text')
  const spoken = typeof language === 'string' && /^[a-z]{2}$/.test(language) ? { language } : {}
  return { text: text.trim(), ...spoken }
}

const promptOf = (vocabulary: readonly string[]): string => {
  let prompt = ''
  for (const word of vocabulary) {
    const longer = prompt === '' ? word : `${prompt}, ${word}`
    if (longer.length > maxPromptLength) break
    prompt = longer
  }
  return prompt
}

const maxTextLength = 4096
const pcmRate = 24_000
const highestRate = 48_000

interface OpenAiTtsOptions {
  /** Base URL: https://api.openai.com/v1 */
  url: string
  key: string | undefined
  model: string
  voice: string
  format: 'pcm' | 'wav'
}

/** OpenAI and every server with a compatible audio API. It detects the language from the text. */
export const openAiTts = (http: ProviderHttp, options: OpenAiTtsOptions): Tts => {
  const voices = new VoiceChoice()
  const { provider } = http
  async function* synthesize(utterance: Utterance, signal: AbortSignal): AsyncGenerator<Int16Array> {
    if (utterance.text.length > maxTextLength) throw provider.fault(`takes at most ${maxTextLength} characters at once`)
    const reply = await voices.ask(utterance.voice, options.voice, (voice) => speakByOpenAi(http, options, utterance, voice, signal))
    yield* readSound(reply, pcmRate, 16_000, provider)
  }
  return providerTts({
    name: 'openai',
    rate: 16_000,
    ssml: false,
    speaks: () => true,
    voices: () => (ownServer(options) ? [voiceNamed(options.voice)] : openAiVoices.map(voiceNamed)),
    synthesize,
  })
}

const openAiVoices = ['alloy', 'ash', 'ballad', 'coral', 'echo', 'fable', 'nova', 'onyx', 'sage', 'shimmer', 'verse']

/** Third-party servers have different voices and no way to list them. */
const ownServer = ({ url }: OpenAiTtsOptions): boolean => new URL(url).hostname !== 'api.openai.com'

const voiceNamed = (id: string): KnownVoice => ({ id, name: id.charAt(0).toUpperCase() + id.slice(1) })

export const speakByOpenAi = (
  http: ProviderHttp,
  { url, key, model, format }: OpenAiTtsOptions,
  { text, speed }: Utterance,
  voice: string,
  signal: AbortSignal,
): Promise<ProviderReply> => {
  const pace = speed === undefined || speed === 1 ? {} : { speed: Math.min(4, Math.max(0.25, speed)) }
  const headers = { 'content-type': 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) }
  const body = JSON.stringify({ model, input: text, voice, response_format: format, ...pace })
  return http.post({ url: `${url}/audio/speech`, headers, body, maxBytes: maxSoundBytes(text, highestRate) }, signal)
}
