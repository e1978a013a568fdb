import type { Tts, Utterance } from '#core/kernel/ports/speech.ts'
import { azureSsml } from './azure-ssml.ts'
import { mainLanguage } from '#core/speech/text-normalization/main-language.ts'
import { localeOf } from './language-tags.ts'
import type { ProviderHttp, ProviderReply } from './provider-http.ts'
import { providerTts } from './provider-tts.ts'
import { maxSoundBytes, readSound } from './sound-pieces.ts'
import { VoiceChoice } from './voice-choice.ts'

const rate = 16_000

export interface AzureTtsOptions {
  /** https://westeurope.tts.speech.microsoft.com */
  url: string
  key: string
  /** Names that begin with their language, such as de-DE-KatjaNeural. */
  voices: readonly string[]
}

export const azureTts = (http: ProviderHttp, options: AzureTtsOptions): Tts => {
  const voices = new VoiceChoice()
  const { provider } = http
  async function* synthesize(utterance: Utterance, signal: AbortSignal): AsyncGenerator<Int16Array> {
    const requested = utterance.voice !== undefined && /^[a-z]{2,3}-[A-Z]/.test(utterance.voice) ? utterance.voice : undefined
    const usual = voiceFor(utterance.language, options.voices) ?? requested
    if (usual === undefined) throw provider.fault(`has no voice for ${localeOf(utterance.language)} in OFFHOOK_AZURE_VOICES`)
    const reply = await voices.ask(requested, usual, (voice) => askAzure(http, options, utterance, voice, signal))
    yield* readSound(reply, rate, rate, provider)
  }
  return providerTts({
    name: 'azure',
    rate,
    ssml: true,
    voices: () =>
      options.voices.map((id) => ({
        id,
        name:
          id
            .split('-')
            .at(-1)
            ?.replace(/Neural$/, '') ?? id,
        language: localePart(id),
      })),
    speaks: (language) => voiceFor(language, options.voices) !== undefined,
    synthesize,
  })
}

/** `de-DE` of `de-DE-KatjaNeural`. */
const localePart = (voice: string): string => voice.split('-').slice(0, 2).join('-')

/** One of the very region if there is one, else of the language. */
const voiceFor = (language: string, voices: readonly string[]): string | undefined =>
  voices.find((voice) => voice.startsWith(`${localeOf(language)}-`)) ??
  voices.find((voice) => mainLanguage(voice) === mainLanguage(language))

const askAzure = async (
  http: ProviderHttp,
  { url, key }: AzureTtsOptions,
  utterance: Utterance,
  voice: string,
  signal: AbortSignal,
): Promise<ProviderReply> => {
  const body = azureSsml(utterance, voice)
  if (body === undefined) throw http.provider.fault('cannot speak this: it is not an SSML document')
  const headers = {
    'ocp-apim-subscription-key': key,
    'content-type': 'application/ssml+xml',
    'x-microsoft-outputformat': 'raw-16khz-16bit-mono-pcm',
  }
  return http.post({ url: `${url}/cognitiveservices/v1`, headers, body, maxBytes: maxSoundBytes(utterance.text, rate) }, signal)
}
