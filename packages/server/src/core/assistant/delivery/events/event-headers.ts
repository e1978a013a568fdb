import { secretsInForce } from '#core/account/flows/flow-secrets.ts'
import type { OutgoingEvent } from '#core/kernel/ports/assistant.ts'
import type { GatewayInput } from '#core/kernel/ports/outbound.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'
import type { Vault } from '#core/kernel/ports/platform.ts'
import { signWebhook, userAgent } from '#core/kernel/webhook/standard-webhooks.ts'

/** Both names are in use for the same key. Sent only to addresses configured in the same flow. */
export const keyHeaders = (settings: FlowSettings, vault: Vault): Record<string, string> => {
  const { apiKey } = settings
  if (apiKey === undefined) return {}
  const key = openOnce(vault, settings, apiKey)
  return { 'x-api-key': key, 'x-api-token': key }
}

/** For flows whose endpoint uses another vendor's protocol. */
export const gatewayRequest = (settings: FlowSettings, vault: Vault, now: number): { gateway?: GatewayInput } => {
  const { protocol = 'offhook', language = 'en-US', apiKey, transferTargets = [] } = settings
  if (protocol === 'offhook') return {}
  const [secret] = secretsInForce(settings, now)
  return {
    gateway: {
      protocol,
      language,
      transferTargets,
      ...(apiKey !== undefined && { apiKey: openOnce(vault, settings, apiKey) }),
      ...(secret && { secret: openOnce(vault, secret, secret.sealed) }),
    },
  }
}

interface Signing {
  settings: FlowSettings
  vault: Vault
  now: number
  /** Real time, also in a sandbox: the endpoint compares it with its own clock. */
  signedAt: number
  /** See `headersOf`. */
  trace: Readonly<Record<string, string>>
}

/** All headers except the key: signature and position of the event. */
export const eventHeaders = (event: OutgoingEvent, body: string, signing: Signing): Record<string, string> => ({
  'content-type': 'application/json',
  'user-agent': userAgent,
  'x-event-id': event.id,
  'x-offhook-sequence': String(event.sequence),
  'x-offhook-turn': String(event.turn),
  ...signing.trace,
  ...flowSignature(event.id, body, signing),
})

/** Signs with all valid secrets of the flow. */
export const flowSignature = (
  id: string,
  body: string,
  { settings, vault, now, signedAt }: Omit<Signing, 'trace'>,
): Record<string, string> => {
  const secrets = secretsInForce(settings, now).map((secret) => openOnce(vault, secret, secret.sealed))
  if (secrets.length === 0) return { 'webhook-id': id }
  return signWebhook({ id, timestampSeconds: Math.floor(signedAt / 1000), body, secrets })
}

/** Caches decrypted secrets: a flow is read once per session, which then sends many events. */
const opened = new WeakMap<object, string>()

const openOnce = (vault: Vault, holder: object, sealed: string): string => {
  const plain = opened.get(holder) ?? vault.open(sealed)
  opened.set(holder, plain)
  return plain
}
