import { createHmac } from 'node:crypto'

/** The headers of Standard Webhooks, one signature for each secret (`whsec_…`). */
export const signWebhook = (id: string, nowMs: number, body: string, secrets: readonly string[]): Record<string, string> => {
  const timestamp = String(Math.floor(nowMs / 1000))
  const sign = (secret: string): string => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  }
  const signed: Record<string, string> = secrets.length === 0 ? {} : { 'webhook-signature': secrets.map(sign).join(' ') }
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, ...signed }
}
