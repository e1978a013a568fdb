import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { longestSms } from '@offhook/contract/v1/sessions.ts'
import { mediaType, paramOf, type Request } from '@offhook/sip/message/message.ts'
import type { HeaderLines } from '@offhook/sip/message/build.ts'
import type { SipRejection } from '@offhook/sip/user-agent/request-checks.ts'
import type { ErrorCode } from '@offhook/contract/errors.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { StoreUnavailable } from '#core/kernel/ports/store/index.ts'
import { quote, SipError } from '@offhook/sip/grammar/scan.ts'

const maxBytes = longestSms * 4

const accepted: HeaderLines = [
  ['Accept', 'text/plain'],
  ['Accept-Encoding', 'identity'],
]
const refused = (status: number, headers: HeaderLines = []): SipRejection => ({ status, headers })

/** ASCII is UTF-8, too. */
const charsets = ['utf-8', 'utf8', 'us-ascii']

/** Text of a MESSAGE, or its rejection. */
export const textOf = (request: Request): { text: string } | SipRejection => {
  if (!isPlainText(request)) return refused(415, accepted)
  if (request.body.length > maxBytes) return refused(413)
  if (!isUtf8(request.body)) return refused(400)
  const text = new TextDecoder().decode(request.body)
  if (Array.from(text).length > longestSms) return refused(413)
  // Rejects control characters, which could break a display or a database.
  return text.trim() === '' || /(?![\t\n\r])\p{Cc}/u.test(text) ? refused(400) : { text }
}

const isPlainText = (request: Request): boolean => {
  const encoding = request.header('content-encoding')?.trim().toLowerCase() ?? 'identity'
  const type = request.header('content-type') ?? ''
  const charset = paramOf(type, 'charset')?.toLowerCase() ?? 'utf-8'
  return encoding === 'identity' && mediaType(type) === 'text/plain' && charsets.includes(charset)
}

/** The same for a repeated message whose answer got lost; includes the body, for senders that reuse numbers. */
export const messageId = (sender: string, { callId, cseq, uri, body }: Request): string => {
  const hash = createHash('sha256')
    .update(JSON.stringify([sender, callId, cseq.number, uri]))
    .update(body)
    .digest('hex')
  return [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`, hash.slice(20, 32)].join('-')
}

const warningAgent = '399 offhook'

/** Phones with a display show the reason. */
const warning = (text: string): readonly [string, string] => ['Warning', `${warningAgent} ${quote(text)}`]

export const tooMany = (status: number, waitSeconds: number): SipRejection => ({
  status,
  headers: [['Retry-After', String(waitSeconds)], warning('Too many messages')],
})

/** Answer to a rejected message; internal errors are reported to `onError`. */
export const rejectionOf = (error: unknown, onError: (error: unknown) => void): SipRejection => {
  if (error instanceof SipError) return { status: error.status, headers: [] }
  if (error instanceof Problem) return { status: statusOf(error), headers: [warning(error.message)] }
  onError(error)
  return error instanceof StoreUnavailable ? { status: 503, headers: [['Retry-After', '5']] } : { status: 500, headers: [] }
}

/** Only an unknown recipient is 404: a missing sender says nothing about the recipient. */
const statuses: Partial<Record<ErrorCode, number>> = { callee_invalid: 404, number_invalid: 404, sms_not_found: 403 }

/** 503 would make phones treat this server as out of order. */
const statusOf = ({ status, code }: Problem): number => statuses[code] ?? (status < 500 ? status : 480)
