import { createHmac } from 'node:crypto'

export interface SignedMessage {
  id: string
  /** Seconds since 1970. */
  timestamp: string
  body: string
}

/** Standard Webhooks signature with one secret (`whsec_…`). */
export const webhookSignature = (secret: string, { id, timestamp, body }: SignedMessage): string => {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}
