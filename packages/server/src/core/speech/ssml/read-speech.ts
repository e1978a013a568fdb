import { plainTextOf } from './plain-text.ts'
import { readDocument, UnreadableDocument } from './read-document.ts'
import type { Manner, Reading } from './script.ts'

export interface SpeechText {
  /** Plain, or SSML when it starts like a document. */
  text?: string | undefined
  ssml?: string | undefined
  /** BCP 47: of everything that doesn't say otherwise. */
  language: string
}

/** Characters of a text or a document. */
export const longestSpeech = 10_000

const looksLikeDocument = /^\s*<(?:speak[\s/>]|\?xml|!DOCTYPE|!--)/

/** Never throws: what can't be read is said as its plain text. */
export const readSpeech = ({ text, ssml, language }: SpeechText): Reading => {
  const manner: Manner = { language, speed: 1, pitch: 0, gainDb: 0 }
  const written = (ssml ?? text ?? '').replace(/^\ufeff/, '')
  if (ssml === undefined && !looksLikeDocument.test(written)) return plain(written, manner, [])
  if (written.length > longestSpeech) return unread(written, manner, `it has more than ${longestSpeech} characters`)
  try {
    const document = written.trim()
    return { ...readDocument(document, manner), document }
  } catch (error) {
    if (error instanceof UnreadableDocument) return unread(written, manner, error.message)
    throw error
  }
}

const unread = (document: string, manner: Manner, reason: string): Reading =>
  plain(plainTextOf(document.slice(0, longestSpeech)), manner, [`the SSML is said as plain text: ${reason}`])

const plain = (text: string, manner: Manner, problems: string[]): Reading => {
  if (text.length > longestSpeech) problems.push(`only the first ${longestSpeech} characters are said`)
  const words = text.slice(0, longestSpeech).trim()
  return { script: words === '' ? [] : [{ kind: 'text', text: words, ...manner }], problems }
}
