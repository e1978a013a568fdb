import { plainTextOf } from './plain-text.ts'
import { readDocument, UnreadableDocument } from './read-document.ts'
import type { ProsodyStyle, Reading } from './script.ts'

export interface SpeechText {
  /** Plain, or SSML when it starts like a document. */
  text?: string | undefined
  ssml?: string | undefined
  /** BCP 47: of everything that doesn't say otherwise. */
  language: string
}

/** Characters of a text or a document. */
export const maxSpeechLength = 10_000

const looksLikeDocument = /^\s*<(?:speak[\s/>]|\?xml|!DOCTYPE|!--)/

/** Never throws: what can't be read is said as its plain text. */
export const readSpeech = ({ text, ssml, language }: SpeechText): Reading => {
  const prosody: ProsodyStyle = { language, speed: 1, pitch: 0, gainDb: 0 }
  const written = (ssml ?? text ?? '').replace(/^\ufeff/, '')
  if (ssml === undefined && !looksLikeDocument.test(written)) return plain(written, prosody, [])
  if (written.length > maxSpeechLength) return unread(written, prosody, `it has more than ${maxSpeechLength} characters`)
  try {
    const document = written.trim()
    return { ...readDocument(document, prosody), document }
  } catch (error) {
    if (error instanceof UnreadableDocument) return unread(written, prosody, error.message)
    throw error
  }
}

const unread = (document: string, prosody: ProsodyStyle, reason: string): Reading =>
  plain(plainTextOf(document.slice(0, maxSpeechLength)), prosody, [`the SSML is said as plain text: ${reason}`])

const plain = (text: string, prosody: ProsodyStyle, problems: string[]): Reading => {
  if (text.length > maxSpeechLength) problems.push(`only the first ${maxSpeechLength} characters are said`)
  const words = text.slice(0, maxSpeechLength).trim()
  return { script: words === '' ? [] : [{ kind: 'text', text: words, ...prosody }], problems }
}
