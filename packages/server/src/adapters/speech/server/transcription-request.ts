import type { ExpectedAnswer, Stt, Transcript } from '#core/kernel/ports/speech.ts'
import { fields, type Urgency } from './protocol.ts'
import { decodeSound } from './decode-sound.ts'
import { checkModel } from './models.ts'
import { badField, ServiceError } from './service-error.ts'
import type { Segment, TranscriptionRequest } from './transcription.ts'

const answerFormats = ['json', 'text', 'verbose_json', 'srt', 'vtt'] as const
type AnswerFormat = (typeof answerFormats)[number]

export interface TranscriptionForm extends Omit<TranscriptionRequest, 'caller'> {
  format: AnswerFormat
  /** As server-sent events, piece by piece. */
  stream: boolean
}

/** Whisper reads no more of it. */
const maxPromptLength = 2_000
const maxLanguages = 8

/** Reads the form of `POST /v1/audio/transcriptions`. Throws ServiceError. */
export const readTranscriptionForm = async (body: Uint8Array, contentType: string, stt: Stt): Promise<TranscriptionForm> => {
  const form = await parseForm(body, contentType)
  const text = (name: string): string | undefined => {
    const value = form.get(name)
    if (value instanceof File) throw badField(name, `${name} must be text.`)
    return value ?? undefined
  }
  const file = form.get('file')
  if (!(file instanceof File)) throw badField('file', 'Send the sound in the field file.', 'missing_required_parameter')
  checkModel(text('model'), 'hearing')
  const format = formatOf(text('response_format') ?? 'json')
  if (form.has('timestamp_granularities[]') && form.getAll('timestamp_granularities[]').includes('word'))
    throw badField('timestamp_granularities[]', 'Words have no times here. Ask for segments.')
  const languages = languagesOf(text(fields.languages) ?? text('language') ?? '', stt)
  const vocabulary = vocabularyOf(text('prompt') ?? '')
  return {
    format,
    stream: text('stream') === 'true',
    options: { languages, vocabulary },
    urgency: urgencyOf(text(fields.urgency)),
    expected: expectedOf(text(fields.expected)),
    sound: await decodeSound(new Uint8Array(await file.arrayBuffer())),
  }
}

const parseForm = async (body: Uint8Array, contentType: string): Promise<FormData> => {
  if (!contentType.startsWith('multipart/form-data'))
    throw new ServiceError(415, 'unsupported_media_type', 'Send a form: Content-Type multipart/form-data.')
  try {
    return await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData()
  } catch {
    throw new ServiceError(400, 'invalid_form', 'The form cannot be read: check its boundary.')
  }
}

const formatOf = (format: string): AnswerFormat => {
  const known = answerFormats.find((one) => one === format)
  if (!known) throw badField('response_format', `response_format must be one of ${answerFormats.join(', ')}.`)
  return known
}

const urgencyOf = (urgency: string | undefined): Urgency | undefined =>
  urgency === 'glance' || urgency === 'patient' ? urgency : undefined

const maxPhrases = 100
const maxPhraseLength = 100

const expectedOf = (lines: string | undefined): ExpectedAnswer | undefined => {
  if (lines === undefined) return undefined
  const phrases = lines.split(/\r?\n/).filter((phrase) => phrase !== '' && phrase.length <= maxPhraseLength)
  return { phrases: phrases.slice(0, maxPhrases) }
}

/** Empty: the recogniser detects the language. */
export const languagesOf = (text: string, stt: Stt): string[] => {
  const languages = text.split(',').map((one) => one.trim())
  const named = languages.filter((one) => one !== '').slice(0, maxLanguages)
  const unknown = named.find((language) => !/^[A-Za-z]{2,3}([-_][A-Za-z0-9]{1,8})*$/.test(language) || !stt.hears(language))
  if (unknown !== undefined)
    throw badField('language', `The language "${unknown.slice(0, 20)}" is not recognised here.`, 'unsupported_language')
  return named
}

/** A prompt is a list of likely words here. */
export const vocabularyOf = (prompt: string): string[] =>
  prompt
    .slice(0, maxPromptLength)
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')

const languageNames = new Intl.DisplayNames('en', { type: 'language' })

/** OpenAI names the language in English. */
const languageName = (language: string | undefined): string =>
  (language === undefined ? undefined : languageNames.of(language))?.toLowerCase() ?? 'unknown'

export const joinedText = (segments: readonly Segment[]): string =>
  segments
    .map(({ transcript }) => transcript.text)
    .filter((text) => text !== '')
    .join(' ')

interface Answer {
  contentType: string
  body: string
}

/** `ours`: also everything else that our call processes use. */
export const answerOf = (segments: readonly Segment[], format: AnswerFormat, ours: boolean): Answer => {
  const text = joinedText(segments)
  if (format === 'text') return { contentType: 'text/plain; charset=utf-8', body: `${text}\n` }
  if (format === 'srt') return { contentType: 'application/x-subrip; charset=utf-8', body: subtitles(segments, ',') }
  if (format === 'vtt') return { contentType: 'text/vtt; charset=utf-8', body: `WEBVTT\n\n${subtitles(segments, '.')}` }
  const seconds = segments.at(-1)?.end ?? 0
  const usage = { type: 'duration', seconds: Math.ceil(seconds) }
  const plain = { text, usage, ...(ours && { offhook: ownDetails(segments) }) }
  const verbose = {
    task: 'transcribe',
    language: languageName(segments[0]?.transcript.language),
    duration: seconds,
    ...plain,
    segments: segments.map(({ start, end, transcript }, id) => ({
      id,
      seek: Math.round(start * 100),
      start,
      end,
      text: transcript.text,
      tokens: [],
      temperature: 0,
      avg_logprob: Math.log(Math.max(0.001, transcript.confidence ?? 1)),
      compression_ratio: 1,
      no_speech_prob: transcript.text === '' ? 1 : 0,
    })),
  }
  return { contentType: 'application/json', body: JSON.stringify(format === 'json' ? plain : verbose) }
}

/** Everything of the transcript but its text. `skipped`: a glance would have delayed others. */
const ownDetails = (segments: readonly Segment[]): object => {
  if (segments.length === 0) return { skipped: true }
  const { text: _text, ...details }: Transcript = segments.at(-1)?.transcript ?? { text: '' }
  return details
}

const subtitles = (segments: readonly Segment[], point: ',' | '.'): string =>
  segments
    .filter(({ transcript }) => transcript.text !== '')
    .map(
      ({ start, end, transcript }, index) => `${index + 1}\n${clockTime(start, point)} --> ${clockTime(end, point)}\n${transcript.text}\n`,
    )
    .join('\n')

const clockTime = (seconds: number, point: ',' | '.'): string => {
  const ms = Math.round(seconds * 1000)
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}${point}${String(ms % 1000).padStart(3, '0')}`
}
