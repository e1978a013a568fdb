import { leniently } from '../grammar/lenient.ts'
import type { Request, Response } from './message.ts'
import { parseParams } from '../grammar/params.ts'

/** In lower case and without parameters. */
export const mediaType = (value: string): string => {
  const end = value.indexOf(';')
  return (end < 0 ? value : value.slice(0, end)).trim().toLowerCase()
}

/** Of a header such as Content-Type. */
export const paramOf = (value: string, name: string): string | undefined => {
  const start = value.indexOf(';')
  return start < 0 ? undefined : leniently(() => parseParams(value, start)[name])
}

/** One part of a multipart body: its headers, a blank line, its content. */
const partContent = (part: string, type: string): string | undefined => {
  const headEnd = part.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  for (const line of part.slice(0, headEnd).split('\r\n')) {
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase()
    if ((name === 'content-type' || name === 'c') && mediaType(line.slice(colon + 1)) === type) return part.slice(headEnd + 4)
  }
  return undefined
}

const fromMultipart = (text: string, boundary: string, type: string): string | undefined => {
  const delimiter = `\r\n--${boundary}`
  for (const part of `\r\n${text}`.split(delimiter).slice(1)) {
    if (part.startsWith('--')) return undefined
    const content = partContent(part, type)
    if (content !== undefined) return content
  }
  return undefined
}

/** The session description in a message, also as one part among others. */
export const sdpOf = (message: Request | Response): string | undefined => {
  if (message.body.length === 0) return undefined
  const type = mediaType(message.header('content-type') ?? '')
  if (type !== 'application/sdp' && !type.startsWith('multipart/')) return undefined
  const text = Buffer.from(message.body.buffer, message.body.byteOffset, message.body.byteLength).toString('utf8')
  if (type === 'application/sdp') return text
  const boundary = paramOf(message.header('content-type') ?? '', 'boundary')
  return boundary === undefined ? undefined : fromMultipart(text, boundary, 'application/sdp')
}

/** A body that the sender wants understood and that we do not understand where a session description belongs (RFC 3261 §8.2.3). */
export const hasForeignBody = (message: Request): boolean => {
  if (message.body.length === 0) return false
  const encoding = message.header('content-encoding')
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') return true
  const type = mediaType(message.header('content-type') ?? '')
  if (type === 'application/sdp' || type.startsWith('multipart/')) return false
  return paramOf(message.header('content-disposition') ?? '', 'handling')?.toLowerCase() !== 'optional'
}
