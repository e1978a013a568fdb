import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { OutboundHttp, OutboundReply } from '#core/kernel/ports/outbound.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { PushFormat } from '#core/kernel/ports/store/push.ts'
import { signWebhook, userAgent } from '#core/kernel/webhook/standard-webhooks.ts'
import { type PushKey, pushSecretsInForce } from './push-key.ts'
import { withoutCredentials } from './exchange-log.ts'

export interface PushClientDeps {
  store: Store
  clock: Clock
  /** Receivers compare the signed timestamp with their own clock, so this clock is never put forward. */
  wallClock: Clock
  vault: Vault
  outbound: OutboundHttp
  key: PushKey
  /** Additional header name for the installation's signature: receivers may expect another name. */
  signatureHeader?: string | undefined
  /** Called after each attempt with its duration in milliseconds. */
  onPosted?: ((posted: { ms: number; outcome: 'delivered' | 'failed' }) => void) | undefined
}

export interface Posting {
  /** Identical in all attempts of one message. */
  id: string
  accountId: string
  /** May contain credentials. */
  url: string
  body: string
  format: PushFormat
  deadlineMs: number
  signal: AbortSignal
}

/** Several times the longest useful reply. */
const maxReplyBytes = 16 * 1024
const maxSoundBytes = 10 * 1024 * 1024

const contentTypes = { form: 'application/x-www-form-urlencoded; charset=UTF-8', json: 'application/json' }

const usualHeaders = {
  accept: 'application/xml, text/plain, text/html',
  'accept-charset': 'utf-8',
  'user-agent': userAgent,
}

/** Sends to the account's webhook, signed twice: with the installation's key and, if set, with the account's secret. */
export class PushClient {
  readonly #deps: PushClientDeps

  constructor(deps: PushClientDeps) {
    this.#deps = deps
  }

  async post({ url: address, body, format, deadlineMs, signal, ...message }: Posting): Promise<OutboundReply> {
    const { url, headers } = withoutCredentials(address)
    const signed = { 'content-type': contentTypes[format], ...usualHeaders, ...(await this.#signatures(message, body)), ...headers }
    const { outbound, clock, onPosted } = this.#deps
    const startedAt = clock.elapsed()
    const posted = (outcome: 'delivered' | 'failed'): void => onPosted?.({ ms: clock.elapsed() - startedAt, outcome })
    try {
      const reply = await outbound.request({ method: 'POST', url, headers: signed, body, deadlineMs, maxBytes: maxReplyBytes, signal })
      posted(reply.status < 400 ? 'delivered' : 'failed')
      return reply
    } catch (error) {
      posted('failed')
      throw error
    }
  }

  async getSound(address: string, { deadlineMs, signal }: Pick<Posting, 'deadlineMs' | 'signal'>): Promise<OutboundReply> {
    const { url, headers } = withoutCredentials(address)
    const named = { 'user-agent': userAgent, ...headers }
    return this.#deps.outbound.request({ method: 'GET', url, headers: named, deadlineMs, maxBytes: maxSoundBytes, signal })
  }

  async #signatures({ id, accountId }: Pick<Posting, 'id' | 'accountId'>, body: string): Promise<Record<string, string>> {
    const { store, clock, wallClock, vault, key, signatureHeader } = this.#deps
    const secrets = (await pushSecretsInForce(store.read, accountId, clock.now())).map(({ sealed }) => vault.open(sealed))
    const timestampSeconds = Math.floor(wallClock.now() / 1000)
    const standard = secrets.length === 0 ? { 'webhook-id': id } : signWebhook({ id, timestampSeconds, body, secrets })
    const signature = await key.sign(body)
    return {
      ...standard,
      'x-svc-signature': signature,
      ...(signatureHeader !== undefined && { [signatureHeader.toLowerCase()]: signature }),
    }
  }
}
