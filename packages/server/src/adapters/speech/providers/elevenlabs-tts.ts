import type { Tts, Utterance } from '#core/kernel/ports/speech.ts'
import { mainLanguage } from '#core/speech/text-normalization/main-language.ts'
import type { ProviderHttp, ProviderReply } from './provider-http.ts'
import { providerTts } from './provider-tts.ts'
import { maxSoundBytes, readSound } from './sound-pieces.ts'
import { VoiceChoice } from './voice-choice.ts'

const rate = 16_000

/** Voices that every account has, by the names that people use. */
const namedVoices: Record<string, string> = {
  rachel: '21m00Tcm4TlvDq8ikWAM',
  sarah: 'EXAVITQu4vr4xnSDxMaL',
  george: 'JBFqnCBsd6RMkjVDRZzb',
  thomas: 'GBv7mTt0atIp3Br8iCZE',
}

export interface ElevenLabsTtsOptions {
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
    yield* readSound(reply, rate, rate, http.provider)
  }
  return providerTts({
    name: 'eleven_labs',
    rate,
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
  // The older models refuse to be told the language.
  const spoken = /_v2_5$|_v3/.test(model) ? { language_code: mainLanguage(language) } : {}
  const pace = speed === undefined || speed === 1 ? {} : { voice_settings: { speed: Math.min(1.2, Math.max(0.7, speed)) } }
  const body = JSON.stringify({ text, model_id: model, ...spoken, ...pace })
  const path = `/v1/text-to-speech/${encodeURIComponent(voice)}/stream?output_format=pcm_16000`
  const headers = { 'xi-api-key': key, 'content-type': 'application/json' }
  return http.post({ url: `${url}${path}`, headers, body, maxBytes: maxSoundBytes(text, rate) }, signal)
}
