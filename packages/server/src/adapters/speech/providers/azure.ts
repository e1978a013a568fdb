import type { Tts, Utterance, Stt, SttOptions, Transcript } from '#core/kernel/ports/speech.ts'
import { mainLanguage } from '#core/speech/text-normalization/main-language.ts'
import { anyOf } from '#core/speech/voices/lexicon.ts'
import type { ProviderHttp, ProviderReply } from './provider-http.ts'
import { providerTts, VoiceChoice, maxSoundBytes, readSound } from './provider-tts.ts'
import { utteranceStt } from './provider.ts'

const rate = 16_000

interface AzureTtsOptions {
  /** https://westeurope.tts.speech.microsoft.com */
  url: string
  key: string
  /** Voice names, which begin with their locale, such as de-DE-KatjaNeural. */
  voices: readonly string[]
}

export const azureTts = (http: ProviderHttp, options: AzureTtsOptions): Tts => {
  const voices = new VoiceChoice()
  const { provider } = http
  async function* synthesize(utterance: Utterance, signal: AbortSignal): AsyncGenerator<Int16Array> {
    const requested = utterance.voice !== undefined && /^[a-z]{2,3}-[A-Z]/.test(utterance.voice) ? utterance.voice : undefined
    const usual = voiceFor(utterance.language, options.voices) ?? requested
    if (usual === undefined) throw provider.fault(`has no voice for ${localeOf(utterance.language)} in OFFHOOK_AZURE_VOICES`)
    const reply = await voices.ask(requested, usual, (voice) => speakByAzure(http, options, utterance, voice, signal))
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

/** Prefers a voice of the region, then one of the language. */
const voiceFor = (language: string, voices: readonly string[]): string | undefined =>
  voices.find((voice) => voice.startsWith(`${localeOf(language)}-`)) ??
  voices.find((voice) => mainLanguage(voice) === mainLanguage(language))

const speakByAzure = async (
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

const namespace = 'http://www.w3.org/2001/10/synthesis'
const attributes = `(?:[^<>"']|"[^<"]*"|'[^<']*')*`
const document = new RegExp(`^\\s*(?:<\\?xml[^>]*\\?>)?\\s*<speak(${attributes})>([\\s\\S]*)</speak>\\s*$`)
const tags = new RegExp(`<!--[\\s\\S]*?-->|<!\\[CDATA\\[[\\s\\S]*?\\]\\]>|<(/?)([\\w:-]+)${attributes}>`, 'g')

/**
 * An SSML document for Azure: with version, namespace and language, and with a voice around all text. Undefined if the text is not a valid
 * document.
 */
export const azureSsml = (utterance: Utterance, voice: string): string | undefined => {
  const language = localeOf(utterance.language)
  if (!/^\s*<(\?xml|speak)\b/.test(utterance.text)) return inSpeak('', language, inVoice(paced(withPhonemes(utterance), utterance), voice))
  const [, given, content] = document.exec(utterance.text) ?? []
  if (given === undefined || content === undefined) return undefined
  return inSpeak(given, language, voiced(content, voice))
}

const withPhonemes = ({ text, ipa = [] }: Utterance): string => {
  if (ipa.length === 0) return escapeXml(text)
  const sounds = new Map(ipa.toReversed().map((entry) => [entry.word.toLowerCase(), entry.ipa]))
  const words = anyOf(ipa.map(({ word }) => word))
  let [said, from] = ['', 0]
  for (const { index, 0: word } of text.matchAll(words)) {
    const ph = escapeXml(sounds.get(word.toLowerCase()) ?? '')
    said += `${escapeXml(text.slice(from, index))}<phoneme alphabet="ipa" ph="${ph}">${escapeXml(word)}</phoneme>`
    from = index + word.length
  }
  return said + escapeXml(text.slice(from))
}

/** Attributes of the document take precedence. */
const inSpeak = (given: string, language: string, content: string): string => {
  const usual = { version: '1.0', xmlns: namespace, 'xml:lang': language }
  const missing = Object.entries(usual).filter(([name]) => !new RegExp(`(^|\\s)${name}\\s*=`).test(given))
  return `<speak${given}${missing.map(([name, value]) => ` ${name}="${value}"`).join('')}>${content}</speak>`
}

const inVoice = (content: string, voice: string): string => `<voice name="${escapeXml(voice)}">${content}</voice>`

/** Wraps text outside of voice elements in one; Azure allows no nesting. */
const voiced = (content: string, voice: string): string => {
  let result = ''
  let depth = 0
  let since = 0
  const take = (until: number, wrap: boolean): void => {
    const part = content.slice(since, until)
    since = until
    if (part.trim() !== '') result += wrap ? inVoice(part, voice) : part
  }
  for (const { 0: tag, 1: closing, 2: name, index } of content.matchAll(tags)) {
    if (name === undefined || tag.endsWith('/>')) continue
    if (closing === '' && name === 'voice' && depth === 0) take(index, true)
    depth += closing === '' ? 1 : -1
    if (closing !== '' && name === 'voice' && depth === 0) take(index + tag.length, false)
  }
  take(content.length, true)
  return result
}

const paced = (content: string, { speed = 1, pitch = 0 }: Utterance): string => {
  if (speed === 1 && pitch === 0) return content
  const rate = speed === 1 ? '' : ` rate="${signed((Math.min(2, Math.max(0.5, speed)) - 1) * 100)}%"`
  const height = pitch === 0 ? '' : ` pitch="${signed(Math.min(12, Math.max(-12, pitch)))}st"`
  return `<prosody${rate}${height}>${content}</prosody>`
}

const signed = (value: number): string => `${value < 0 ? '' : '+'}${Number(value.toFixed(2))}`

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

/** Also removes characters that XML forbids. */
const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')

const defaultRegions: Record<string, string> = {
  en: 'US',
  de: 'DE',
  cs: 'CZ',
  da: 'DK',
  el: 'GR',
  ja: 'JP',
  ko: 'KR',
  sv: 'SE',
  uk: 'UA',
  zh: 'CN',
}

/** `de-DE` also for `de` or `de_de`. */
const localeOf = (tag: string): string => {
  const language = mainLanguage(tag)
  const region = /^[a-z]{2,3}[-_]([a-z]{2})$/i.exec(tag)?.[1] ?? defaultRegions[language] ?? language
  return `${language}-${region.toUpperCase()}`
}

const maxBytes = 200_000

interface AzureSttOptions {
  /** https://westeurope.stt.speech.microsoft.com */
  url: string
  key: string
}

interface AzureAnswer {
  RecognitionStatus?: string
  DisplayText?: string
  NBest?: { Display?: string; Confidence?: number }[]
}

/** Azure's API for short recordings. It accepts one language and no vocabulary. */
export const azureStt = (http: ProviderHttp, options: AzureSttOptions): Stt =>
  utteranceStt({ name: 'azure', hears: () => true, ask: (wav, inputs, signal) => transcribeByAzure(http, options, wav, inputs, signal) })

const transcribeByAzure = async (
  http: ProviderHttp,
  { url, key }: AzureSttOptions,
  wav: Uint8Array,
  { languages }: SttOptions,
  signal: AbortSignal,
): Promise<Transcript> => {
  const language = localeOf(languages[0] ?? 'en-US')
  const query = new URLSearchParams({ language, format: 'detailed', profanity: 'raw' })
  const headers = {
    'ocp-apim-subscription-key': key,
    'content-type': 'audio/wav; codecs=audio/pcm; samplerate=16000',
    accept: 'application/json',
  }
  const path = '/speech/recognition/conversation/cognitiveservices/v1'
  const answer = await http.postForJson({ url: `${url}${path}?${query.toString()}`, headers, body: wav, maxBytes }, signal)
  return readAnswer(answer as AzureAnswer | null, language, http)
}

/** Statuses without words; noise alone is not a fault. */
const wordless = ['NoMatch', 'InitialSilenceTimeout', 'BabbleTimeout', 'EndOfDictation']

const readAnswer = (answer: AzureAnswer | null, language: string, { provider }: ProviderHttp): Transcript => {
  const status = answer?.RecognitionStatus
  if (status !== undefined && wordless.includes(status)) return { text: '', language }
  const best = answer?.NBest?.[0]
  const text = best?.Display ?? answer?.DisplayText
  if (status !== 'Success' || typeof text !== 'string') throw provider.fault('could not recognise anything because of a fault of its own')
  const { Confidence: confidence } = best ?? {}
  return { text: text.trim(), language, ...(typeof confidence === 'number' && { confidence: Math.min(1, Math.max(0, confidence)) }) }
}
