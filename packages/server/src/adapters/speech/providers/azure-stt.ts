import type { Stt, SttOptions, Transcript } from '#core/kernel/ports/speech.ts'
import { localeOf } from './language-tags.ts'
import type { ProviderHttp } from './provider-http.ts'
import { utteranceStt } from './utterance-stt.ts'

const maxBytes = 200_000

export interface AzureSttOptions {
  /** https://westeurope.stt.speech.microsoft.com */
  url: string
  key: string
}

interface AzureAnswer {
  RecognitionStatus?: string
  DisplayText?: string
  NBest?: { Display?: string; Confidence?: number }[]
}

/** Azure's interface for short recordings. It takes one language, and no list of likely words. */
export const azureStt = (http: ProviderHttp, options: AzureSttOptions): Stt =>
  utteranceStt({ name: 'azure', hears: () => true, ask: (wav, inputs, signal) => askAzure(http, options, wav, inputs, signal) })

const askAzure = async (
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

/** Nothing but noise is not a fault: there were no words. */
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
