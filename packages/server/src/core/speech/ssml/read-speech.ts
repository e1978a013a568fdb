import { InlineTags } from './inline-tags.ts'
import { readDocument, UnreadableDocument } from './read-document.ts'
import type { Piece, ProsodyStyle, Reading } from './script.ts'

interface SpeechText {
  /** Plain text with `<break>` and `<flush>`, or SSML if it begins like a document. */
  text?: string | undefined
  ssml?: string | undefined
  /** BCP 47 default language. */
  language: string
}

/** Maximum characters of a text or document. */
const maxSpeechLength = 10_000

const looksLikeDocument = /^\s*<(?:speak[\s/>]|\?xml|!DOCTYPE|!--)/

/** Never throws: unreadable SSML is spoken as plain text. */
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
  const script = InlineTags.read(text.slice(0, maxSpeechLength)).flatMap((part): Piece[] => {
    if (part.kind === 'silence') return part.ms === 0 ? [] : [part]
    const words = part.kind === 'text' ? part.text.trim() : ''
    return words === '' ? [] : [{ kind: 'text', text: words, ...prosody }]
  })
  return { script, problems }
}

const entities: ReadonlyMap<string, string> = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }))
/** Tags that separate words. */
const apart = /^<\/?(?:speak|p|s|break|audio|voice|mark)(?![\w:-])/i

/** Plain text of a malformed document: without tags, comments and declarations, with references decoded. */
const plainTextOf = (document: string): string => {
  const parts: string[] = []
  for (let at = 0; at < document.length;) {
    const start = tagFrom(document, at)
    parts.push(decoded(document.slice(at, start)))
    if (start === document.length) break
    const end = endOfTag(document, start)
    if (document.startsWith('<![CDATA[', start)) parts.push(document.slice(start + 9, end).replace(/\]\]>$/, ''))
    else if (apart.test(document.slice(start, start + 10))) parts.push(' ')
    at = end
  }
  return parts.join('').replace(/\s+/g, ' ').trim()
}

/** Position of the next tag; a `<` before anything else is a plain character. */
const tagFrom = (document: string, from: number): number => {
  for (let at = document.indexOf('<', from); at >= 0; at = document.indexOf('<', at + 1)) {
    if (/[\p{L}/!?]/u.test(document.charAt(at + 1))) return at
  }
  return document.length
}

/** Position after the tag; an unclosed tag extends to the end. */
const endOfTag = (document: string, start: number): number => {
  const closing = document.startsWith('<!--', start)
    ? '-->'
    : document.startsWith('<![CDATA[', start)
      ? ']]>'
      : /^<!DOCTYPE[^>[]*\[/i.test(document.slice(start, start + 200))
        ? ']>'
        : '>'
  const end = document.indexOf(closing, start + 1)
  return end < 0 ? document.length : end + closing.length
}

const decoded = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,30}));/gi, (_, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return entities.get(name) ?? ' '
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
    return code > 31 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : ' '
  })
