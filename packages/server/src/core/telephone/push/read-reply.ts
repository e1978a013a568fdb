import type { CallGuidance } from '#core/kernel/ports/call-guide.ts'
import type { OutboundReply } from '#core/kernel/ports/outbound-http.ts'
import { readResponse, type ReadFor } from './read-response.ts'

export interface ReadReply {
  /** Undefined: nothing that can be followed. */
  guidance?: CallGuidance
  xmlError: string | undefined
}

/** What the account's software answered to newCall or dtmf. An empty answer wants nothing, whatever type it has. */
export const readReply = ({ status, headers, body }: OutboundReply, reader: ReadFor): ReadReply => {
  if (status < 200 || status > 299) return { xmlError: undefined }
  const text = utf8(body)
  if (text === undefined) return { xmlError: 'the answer is not UTF-8' }
  if (text.trim() === '') return { xmlError: undefined }
  const type = headers['content-type'] ?? ''
  if (!isXml(type)) return { xmlError: `the content type must be application/xml, not ${JSON.stringify(type.slice(0, 100))}` }
  return { xmlError: undefined, ...readResponse(text, reader) }
}

/** For eyes, whatever it is. */
export const replyText = ({ body }: OutboundReply): string => body.toString('utf8')

const isXml = (contentType: string): boolean => /^\s*(?:application|text)\/(?:[\w.-]+\+)?xml\s*(?:;|$)/i.test(contentType)

const utf8 = (body: Buffer): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    return undefined
  }
}
