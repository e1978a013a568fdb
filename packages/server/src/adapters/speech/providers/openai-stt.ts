import { FormData } from 'undici'
import type { Stt, SttOptions, Transcript } from '#core/kernel/ports/speech.ts'
import { mainLanguage } from '#core/speech/text-normalization/main-language.ts'
import type { ProviderHttp } from './provider-http.ts'
import { utteranceStt } from './utterance-stt.ts'

/** Whisper reads no more than 224 tokens of a prompt. */
const maxPromptLength = 600
const maxBytes = 200_000

export interface OpenAiSttOptions {
  /** Paths are added to it: https://api.openai.com/v1 */
  url: string
  key: string | undefined
  model: string
}

/** OpenAI, and every server that speaks its audio interface. */
export const openAiStt = (http: ProviderHttp, options: OpenAiSttOptions): Stt =>
  utteranceStt({ name: 'openai', hears: () => true, ask: (wav, inputs, signal) => askOpenAi(http, options, wav, inputs, signal) })

const askOpenAi = async (
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
  // It takes one language or finds out itself.
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
