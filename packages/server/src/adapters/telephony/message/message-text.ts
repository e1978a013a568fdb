import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { longestSms } from '@offhook/contract/v1/sessions.ts'
import { mediaType, paramOf } from '@offhook/sip/message/body.ts'
import type { HeaderLines } from '@offhook/sip/message/build.ts'
import type { Request } from '@offhook/sip/message/message.ts'
import type { SipRejection } from '@offhook/sip/user-agent/request-checks.ts'

const maxBytes = longestSms * 4

const accepted: HeaderLines = [
  ['Accept', 'text/plain'],
  ['Accept-Encoding', 'identity'],
]
const refused = (status: number, headers: HeaderLines = []): SipRejection => ({ status, headers })

/** ASCII is UTF-8, too. */
const charsets = ['utf-8', 'utf8', 'us-ascii']

/** What a MESSAGE says, or the answer that it gets because it cannot be taken. */
export const textOf = (request: Request): { text: string } | SipRejection => {
  if (!isPlainText(request)) return refused(415, accepted)
  if (request.body.length > maxBytes) return refused(413)
  if (!isUtf8(request.body)) return refused(400)
  const text = new TextDecoder().decode(request.body)
  if (Array.from(text).length > longestSms) return refused(413)
  // Nothing that a display or a database could stumble over.
  return text.trim() === '' || /(?![\t\n\r])\p{Cc}/u.test(text) ? refused(400) : { text }
}

const isPlainText = (request: Request): boolean => {
  const encoding = request.header('content-encoding')?.trim().toLowerCase() ?? 'identity'
  const type = request.header('content-type') ?? ''
  const charset = paramOf(type, 'charset')?.toLowerCase() ?? 'utf-8'
  return encoding === 'identity' && mediaType(type) === 'text/plain' && charsets.includes(charset)
}

/** The same for one that is sent again because its answer got lost; what it says counts, too, for senders that number carelessly. */
export const messageId = (sender: string, { callId, cseq, uri, body }: Request): string => {
  const hash = createHash('sha256')
    .update(JSON.stringify([sender, callId, cseq.number, uri]))
    .update(body)
    .digest('hex')
  return [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`, hash.slice(20, 32)].join('-')
}
