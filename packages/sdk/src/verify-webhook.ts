import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { webhookSignature } from './webhook-signature.ts'

export interface SignedRequest {
  headers: IncomingHttpHeaders
  /** The raw body, not parsed. */
  body: string
}

/** Allowed clock skew; older requests may be replayed by an attacker. */
const toleranceSeconds = 300

/** Whether a request was recently signed with one of these secrets (`whsec_…`, Standard Webhooks). */
export const verifyWebhook = ({ headers, body }: SignedRequest, secrets: string | readonly string[], nowMs = Date.now()): boolean => {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') return false
  if (!(Math.abs(nowMs / 1000 - Number(timestamp)) <= toleranceSeconds)) return false
  const given = signatures.split(' ').map((signature) => Buffer.from(signature))
  return [secrets].flat().some((secret) => {
    const right = Buffer.from(webhookSignature(secret, { id, timestamp, body }))
    return given.some((one) => one.length === right.length && timingSafeEqual(one, right))
  })
}
