import type { KnownVoice, Tts, Utterance } from '#core/kernel/ports/speech.ts'
import type { ProviderHttp, ProviderReply } from './provider-http.ts'
import { providerTts } from './provider-tts.ts'
import { maxSoundBytes, readSound } from './sound-pieces.ts'
import { VoiceChoice } from './voice-choice.ts'

const maxTextLength = 4096
const pcmRate = 24_000
const highestRate = 48_000

export interface OpenAiTtsOptions {
  /** Paths are added to it: https://api.openai.com/v1 */
  url: string
  key: string | undefined
  model: string
  voice: string
  format: 'pcm' | 'wav'
}

/** OpenAI, and every server that speaks its audio interface. It finds out the language by itself, from the text. */
export const openAiTts = (http: ProviderHttp, options: OpenAiTtsOptions): Tts => {
  const voices = new VoiceChoice()
  const { provider } = http
  async function* synthesize(utterance: Utterance, signal: AbortSignal): AsyncGenerator<Int16Array> {
    if (utterance.text.length > maxTextLength) throw provider.fault(`takes at most ${maxTextLength} characters at once`)
    const reply = await voices.ask(utterance.voice, options.voice, (voice) => askOpenAi(http, options, utterance, voice, signal))
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

/** Servers of others have voices of their own, and no way to ask for them. */
const ownServer = ({ url }: OpenAiTtsOptions): boolean => new URL(url).hostname !== 'api.openai.com'

const voiceNamed = (id: string): KnownVoice => ({ id, name: id.charAt(0).toUpperCase() + id.slice(1) })

const askOpenAi = (
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
