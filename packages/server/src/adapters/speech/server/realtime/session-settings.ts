import type { Stt } from '#core/kernel/ports/speech.ts'
import { G711 } from '#media/codec/g711.ts'
import { PieceResampler } from '#media/codec/resample.ts'
import { heardRate } from '../decode-sound.ts'
import { checkModel } from '../models.ts'
import { badField } from '../service-error.ts'
import { languagesOf, vocabularyOf } from '../transcription-request.ts'

type Encoding = { type: 'pcm'; rate: number } | { type: 'PCMU' | 'PCMA' }

/** When a pause ends an utterance. Undefined in the settings: only the client's commits end it. */
interface PauseRule {
  silenceMs: number
  prefixMs: number
}

export interface SessionSettings {
  encoding: Encoding
  languages: readonly string[]
  vocabulary: readonly string[]
  model: string
  pauses: PauseRule | undefined
}

export const defaultSettings: SessionSettings = {
  encoding: { type: 'pcm', rate: 24_000 },
  languages: [],
  vocabulary: [],
  model: 'offhook-stt',
  pauses: { silenceMs: 500, prefixMs: 300 },
}

type Fields = Record<string, unknown>

const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined

/** Applies a `session.update`, or a `transcription_session.update` of the beta interface. Throws ServiceError. */
export const updatedSettings = (before: SessionSettings, update: unknown, stt: Stt): SessionSettings => {
  const session = fieldsOf(update)
  if (!session) throw badField('session', 'session must be an object.')
  if (session['type'] !== undefined && session['type'] !== 'transcription')
    throw badField('session.type', 'Only sessions of the type transcription are offered here.')
  const input = fieldsOf(fieldsOf(session['audio'])?.['input']) ?? {
    format: session['input_audio_format'],
    transcription: session['input_audio_transcription'],
    turn_detection: session['turn_detection'],
  }
  const { format, transcription, turn_detection: detection } = input
  return {
    ...before,
    ...(format !== undefined && { encoding: encodingOf(format) }),
    ...(fieldsOf(transcription) && wordsOf(fieldsOf(transcription) ?? {}, stt)),
    ...(detection !== undefined && { pauses: detection === null ? undefined : pausesOf(fieldsOf(detection) ?? {}) }),
  }
}

const rates = [8000, 16_000, 24_000, 48_000]

const encodingOf = (format: unknown): Encoding => {
  const { type = format, rate = 24_000 } = fieldsOf(format) ?? {}
  if (type === 'audio/pcmu' || type === 'g711_ulaw') return { type: 'PCMU' }
  if (type === 'audio/pcma' || type === 'g711_alaw') return { type: 'PCMA' }
  const known = rates.find((one) => one === rate)
  if ((type === 'audio/pcm' || type === 'pcm16') && known !== undefined) return { type: 'pcm', rate: known }
  throw badField('session.audio.input.format', `The format must be audio/pcm with a rate of ${rates.join(', ')}, audio/pcmu or audio/pcma.`)
}

const wordsOf = ({ model, language, prompt }: Fields, stt: Stt): Partial<SessionSettings> => {
  if (model !== undefined) checkModel(model, 'hearing')
  return {
    ...(typeof model === 'string' && { model }),
    ...(typeof language === 'string' && { languages: languagesOf(language, stt) }),
    ...(typeof prompt === 'string' && { vocabulary: vocabularyOf(prompt) }),
  }
}

const pausesOf = ({ silence_duration_ms: silence = 500, prefix_padding_ms: prefix = 300 }: Fields): PauseRule => {
  const inRange = (value: unknown, name: string): number => {
    if (typeof value === 'number' && value >= 0 && value <= 5_000) return value
    throw badField(`session.audio.input.turn_detection.${name}`, `${name} must be a number from 0 to 5000.`)
  }
  return { silenceMs: Math.max(200, inRange(silence, 'silence_duration_ms')), prefixMs: inRange(prefix, 'prefix_padding_ms') }
}

/** As the client sees them. */
export const describeSettings = ({ encoding, languages, vocabulary, model, pauses }: SessionSettings): object => ({
  type: 'transcription',
  object: 'realtime.transcription_session',
  audio: {
    input: {
      format: encoding.type === 'pcm' ? { type: 'audio/pcm', rate: encoding.rate } : { type: `audio/${encoding.type.toLowerCase()}` },
      transcription: { model, language: languages[0] ?? null, prompt: vocabulary.join(', ') },
      turn_detection: pauses ? { type: 'server_vad', silence_duration_ms: pauses.silenceMs, prefix_padding_ms: pauses.prefixMs } : null,
    },
  },
})

/** Decodes the chunks of one stream to samples at 8 kHz. */
export const decoderOf = (encoding: Encoding): ((bytes: Buffer) => Int16Array) => {
  if (encoding.type !== 'pcm') {
    const codec = new G711(encoding.type)
    return (bytes) => {
      const samples = new Int16Array(bytes.length)
      codec.decode(bytes, 0, bytes.length, samples, 0)
      return samples
    }
  }
  const resampler = encoding.rate === heardRate ? undefined : new PieceResampler(encoding.rate, heardRate)
  let odd = Buffer.alloc(0)
  return (bytes) => {
    const all = Buffer.concat([odd, bytes])
    const samples = new Int16Array(all.length >> 1)
    for (let i = 0; i < samples.length; i++) samples[i] = all.readInt16LE(2 * i)
    odd = all.subarray(2 * samples.length)
    return resampler ? resampler.add(samples) : samples
  }
}
