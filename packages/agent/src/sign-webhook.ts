import { webhookSignature } from '@offhook/sdk/webhook-signature.ts'

/** The headers of Standard Webhooks, one signature for each secret (`whsec_…`). */
export const signWebhook = (id: string, nowMs: number, body: string, secrets: readonly string[]): Record<string, string> => {
  const timestamp = String(Math.floor(nowMs / 1000))
  const signatures = secrets.map((secret) => webhookSignature(secret, { id, timestamp, body }))
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }) }
}
