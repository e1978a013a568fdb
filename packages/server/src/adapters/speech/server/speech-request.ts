import { parseBoundedJson } from '@offhook/contract/bounded-json.ts'
import type { Tts, Utterance } from '#core/kernel/ports/speech.ts'
import { spokenText } from '#core/speech/text-normalization/spoken-text.ts'
import { PieceResampler } from '#media/codec/resample.ts'
import { wavHeaderBytes, writeWavHeader } from '#media/sound/wav.ts'
import { checkModel } from './models.ts'
import { badField, ServiceError } from './service-error.ts'

export const maxTextLength = 4096
/** OpenAI's rate of raw samples. */
const pcmRate = 24_000
/** The length of a stream is unknown when it begins. */
const unknownLength = 0xffffffff - wavHeaderBytes

interface SpeechForm {
  utterance: Utterance
  format: 'wav' | 'pcm'
}

/** Reads the document of `POST /v1/audio/speech`. `ours`: the text is normalized, and a client of ours names language and pitch. Throws ServiceError. */
export const readSpeechForm = (body: string, tts: Tts, ours: boolean): SpeechForm => {
  const input = parse(body)
  checkModel(input['model'], 'speaking')
  const text = textOf(input['input'])
  const speed = numberOf(input, 'speed', 0.25, 4)
  const { language, voice } = voiceOf(input, tts, ours)
  if (!tts.speaks(language)) throw badField('voice', `No voice here speaks "${language}".`, 'unsupported_language')
  const pitch = ours ? numberOf(input, 'pitch', -24, 24) : undefined
  const ahead = ours ? numberOf(input, 'ahead', 0, 3_600_000) : undefined
  const utterance: Utterance = {
    text: ours ? text : spokenText(text, language),
    language,
    ...(voice !== undefined && { voice }),
    ...(speed !== undefined && { speed }),
    ...(pitch !== undefined && { pitch }),
    ...(ahead !== undefined && { ahead }),
    ...(ours && ipaOf(input['ipa'])),
  }
  return { utterance, format: formatOf(input) }
}

const parse = (body: string): Record<string, unknown> => {
  let value: unknown
  try {
    value = parseBoundedJson(body)
  } catch {
    value = undefined
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ServiceError(400, 'invalid_json', 'Send a JSON object.')
  return value as Record<string, unknown>
}

const textOf = (text: unknown): string => {
  if (typeof text !== 'string' || text.trim() === '') throw badField('input', 'input must be the text to say.')
  if (text.length > maxTextLength) throw badField('input', `input has more than ${maxTextLength} characters.`, 'string_above_max_length')
  return text
}

const maxWords = 400

/** Sent by our call processes only; ignores entries of another form. */
const ipaOf = (given: unknown): Pick<Utterance, 'ipa'> => {
  if (!Array.isArray(given)) return {}
  const ipa = (given.slice(0, maxWords) as unknown[]).flatMap((entry) => {
    const { word, ipa: sounds } = (entry ?? {}) as Record<string, unknown>
    return typeof word === 'string' && typeof sounds === 'string' && word !== '' ? [{ word, ipa: sounds }] : []
  })
  return ipa.length > 0 ? { ipa } : {}
}

const numberOf = (input: Record<string, unknown>, name: string, min: number, max: number): number | undefined => {
  const value = input[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'number' || !(value >= min && value <= max)) throw badField(name, `${name} must be a number from ${min} to ${max}.`)
  return value
}

/** Our voices are named after their languages; OpenAI's names get the default voice. */
const voiceOf = (input: Record<string, unknown>, tts: Tts, ours: boolean): { language: string; voice: string | undefined } => {
  const { voice: given, language } = input
  const named = typeof given === 'object' && given !== null && 'id' in given ? given.id : given
  if (named !== undefined && typeof named !== 'string') throw badField('voice', 'voice must be a name.')
  if (ours && typeof language === 'string') return { language, voice: named }
  const known = tts.voices?.().find(({ id, name }) => [id, name].some((one) => one.toLowerCase() === named?.toLowerCase()))
  return { language: known?.language ?? 'en', voice: known?.id }
}

/** Unset is mp3 in OpenAI's interface: no client relies on it without reading the content type. */
const formatOf = ({ response_format: format = 'wav', stream_format: stream = 'audio' }: Record<string, unknown>): SpeechForm['format'] => {
  if (stream !== 'audio') throw badField('stream_format', 'stream_format must be audio.')
  if (format !== 'wav' && format !== 'pcm') throw badField('response_format', 'response_format must be wav or pcm.')
  return format
}

/** Bytes of the answer: a WAV file at the voice's rate, or raw samples at 24 kHz. */
export async function* soundBytes(
  sound: AsyncIterable<Int16Array>,
  rate: number,
  format: SpeechForm['format'],
): AsyncGenerator<Uint8Array> {
  if (format === 'wav') {
    const header = new Uint8Array(wavHeaderBytes)
    writeWavHeader(header, 1, rate, unknownLength)
    yield header
    for await (const samples of sound) yield bytesOf(samples)
    return
  }
  const resampler = new PieceResampler(rate, pcmRate)
  for await (const samples of sound) yield bytesOf(resampler.add(samples))
  yield bytesOf(resampler.end())
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Int16Array): Uint8Array => new Uint8Array(buffer, byteOffset, byteLength)
