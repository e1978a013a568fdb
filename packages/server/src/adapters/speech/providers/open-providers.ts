import type { Clock } from '#core/kernel/ports/platform.ts'
import type { SpeechProvider, Stt, Tts } from '#core/kernel/ports/speech.ts'
import { azureStt, azureTts } from './azure.ts'
import { deepgramStt } from './deepgram.ts'
import { elevenLabsStt, elevenLabsTts } from './elevenlabs.ts'
import { LiveStreams } from './live-stream.ts'
import { openAiStt, openAiTts } from './openai.ts'
import { providerAgent, ProviderHttp } from './provider-http.ts'
import { Provider } from './provider.ts'

const connectTimeoutMs = 3_000
/** Longest idle time between two sentences of an assistant. */
const idleConnectionMs = 30_000

/** See the settings of these names in `settings/settings-schema.ts`. */
export interface ProviderSettings {
  OFFHOOK_OPENAI_URL: string | undefined
  OFFHOOK_OPENAI_KEY: string | undefined
  OFFHOOK_OPENAI_STT_MODEL: string
  OFFHOOK_OPENAI_TTS_URL: string | undefined
  OFFHOOK_OPENAI_TTS_MODEL: string
  OFFHOOK_OPENAI_TTS_FORMAT: 'pcm' | 'wav'
  OFFHOOK_OPENAI_VOICE: string
  OFFHOOK_DEEPGRAM_KEY: string | undefined
  OFFHOOK_DEEPGRAM_URL: string | undefined
  OFFHOOK_DEEPGRAM_MODEL: string
  OFFHOOK_ELEVENLABS_KEY: string | undefined
  OFFHOOK_ELEVENLABS_URL: string | undefined
  OFFHOOK_ELEVENLABS_MODEL: string
  OFFHOOK_ELEVENLABS_STT_MODEL: string
  OFFHOOK_ELEVENLABS_VOICE: string
  OFFHOOK_AZURE_KEY: string | undefined
  OFFHOOK_AZURE_REGION: string | undefined
  OFFHOOK_AZURE_URL: string | undefined
  OFFHOOK_AZURE_VOICES: readonly string[]
}

/** Providers with a configured key or address. */
export interface Providers {
  stts: Partial<Record<SpeechProvider, Stt>>
  ttss: Partial<Record<SpeechProvider, Tts>>
  close(): Promise<void>
}

interface ProviderAccess {
  http: (name: string) => ProviderHttp
  provider: (name: string) => Provider
  streams: LiveStreams
}

type Opened = Omit<Providers, 'close'>

/** Connections are opened when a call needs them. */
export const openProviders = (settings: ProviderSettings, clock: Clock): Providers => {
  const agent = providerAgent({ connect: { timeout: connectTimeoutMs }, idleConnectionMs })
  const streams = new LiveStreams()
  // Recognition and synthesis fail independently.
  const provider = (name: string): Provider => new Provider(name, clock)
  const access: ProviderAccess = { provider, http: (name) => new ProviderHttp(provider(name), agent), streams }
  const opened = [openOpenAi, openDeepgram, openElevenLabs, openAzure].map((open) => open(settings, access))
  return {
    stts: Object.assign({}, ...opened.map(({ stts }) => stts)) as Providers['stts'],
    ttss: Object.assign({}, ...opened.map(({ ttss }) => ttss)) as Providers['ttss'],
    async close() {
      await streams.close()
      await agent.destroy()
    },
  }
}

const nothing: Opened = { stts: {}, ttss: {} }

const openOpenAi = (settings: ProviderSettings, { http }: ProviderAccess): Opened => {
  const { OFFHOOK_OPENAI_KEY: key, OFFHOOK_OPENAI_TTS_URL: ttsUrl } = settings
  const url = settings.OFFHOOK_OPENAI_URL ?? (key === undefined ? undefined : 'https://api.openai.com/v1')
  const { OFFHOOK_OPENAI_TTS_MODEL: model, OFFHOOK_OPENAI_VOICE: voice, OFFHOOK_OPENAI_TTS_FORMAT: format } = settings
  const speaking = ttsUrl ?? url
  return {
    stts: url === undefined ? {} : { openai: openAiStt(http('OpenAI'), { url, key, model: settings.OFFHOOK_OPENAI_STT_MODEL }) },
    ttss: speaking === undefined ? {} : { openai: openAiTts(http('OpenAI'), { url: speaking, key, model, voice, format }) },
  }
}

const openDeepgram = (settings: ProviderSettings, { provider, streams }: ProviderAccess): Opened => {
  const { OFFHOOK_DEEPGRAM_KEY: key, OFFHOOK_DEEPGRAM_MODEL: model } = settings
  if (key === undefined) return nothing
  const url = settings.OFFHOOK_DEEPGRAM_URL ?? 'https://api.deepgram.com'
  return { stts: { deepgram: deepgramStt(provider('Deepgram'), { url, key, model }, streams) }, ttss: {} }
}

const openElevenLabs = (settings: ProviderSettings, { http, provider, streams }: ProviderAccess): Opened => {
  const { OFFHOOK_ELEVENLABS_KEY: key, OFFHOOK_ELEVENLABS_MODEL: model, OFFHOOK_ELEVENLABS_VOICE: voice } = settings
  if (key === undefined) return nothing
  const url = settings.OFFHOOK_ELEVENLABS_URL ?? 'https://api.elevenlabs.io'
  const hearing = { url, key, model: settings.OFFHOOK_ELEVENLABS_STT_MODEL }
  return {
    stts: { eleven_labs: elevenLabsStt(provider('ElevenLabs'), hearing, streams) },
    ttss: { eleven_labs: elevenLabsTts(http('ElevenLabs'), { url, key, model, voice }) },
  }
}

const openAzure = (settings: ProviderSettings, { http }: ProviderAccess): Opened => {
  const { OFFHOOK_AZURE_KEY: key, OFFHOOK_AZURE_REGION: region, OFFHOOK_AZURE_URL: own, OFFHOOK_AZURE_VOICES: voices } = settings
  if (key === undefined || (region === undefined && own === undefined)) return nothing
  // A resource with a custom address serves both under its paths.
  const url = (kind: 'stt' | 'tts'): string => (own === undefined ? `https://${region}.${kind}.speech.microsoft.com` : `${own}/${kind}`)
  return {
    stts: { azure: azureStt(http('Azure'), { url: url('stt'), key }) },
    ttss: { azure: azureTts(http('Azure'), { url: url('tts'), key, voices }) },
  }
}
