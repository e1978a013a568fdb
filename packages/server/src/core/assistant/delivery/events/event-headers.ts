import { secretsInForce } from '#core/account/flows/flow-secrets.ts'
import type { OutgoingEvent } from '#core/kernel/ports/assistant/endpoint.ts'
import type { GatewayInput } from '#core/kernel/ports/outbound-sockets.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant/flows.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import { signWebhook, userAgent } from '#core/kernel/webhook/standard-webhooks.ts'

/** Both names are in use for the same thing. Only ever sent to addresses that stand in the same flow. */
export const keyHeaders = (settings: FlowSettings, vault: Vault): Record<string, string> => {
  const { apiKey } = settings
  if (apiKey === undefined) return {}
  const key = openOnce(vault, settings, apiKey)
  return { 'x-api-key': key, 'x-api-token': key }
}

/** For flows whose endpoint speaks the language of another system. */
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
  /** The endpoint compares it with its own clock: real time, also in a sandbox. */
  signedAt: number
  /** See `headersOf`. */
  trace: Readonly<Record<string, string>>
}

/** Everything but the key: what proves that the event is from us, and where it belongs. */
export const eventHeaders = (event: OutgoingEvent, body: string, signing: Signing): Record<string, string> => ({
  'content-type': 'application/json',
  'user-agent': userAgent,
  'x-event-id': event.id,
  'x-offhook-sequence': String(event.sequence),
  'x-offhook-turn': String(event.turn),
  ...signing.trace,
  ...flowSignature(event.id, body, signing),
})

/** With all secrets of the flow that are in force. */
export const flowSignature = (
  id: string,
  body: string,
  { settings, vault, now, signedAt }: Omit<Signing, 'trace'>,
): Record<string, string> => {
  const secrets = secretsInForce(settings, now).map((secret) => openOnce(vault, secret, secret.sealed))
  if (secrets.length === 0) return { 'webhook-id': id }
  return signWebhook({ id, timestampSeconds: Math.floor(signedAt / 1000), body, secrets })
}

/** A flow is read once for a session, which then sends many events. */
const opened = new WeakMap<object, string>()

const openOnce = (vault: Vault, holder: object, sealed: string): string => {
  const plain = opened.get(holder) ?? vault.open(sealed)
  opened.set(holder, plain)
  return plain
}
