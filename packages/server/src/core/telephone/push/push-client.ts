import type { Clock } from '#core/kernel/ports/clock.ts'
import type { OutboundHttp, OutboundReply } from '#core/kernel/ports/outbound-http.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import { signWebhook, userAgent } from '#core/kernel/webhook/standard-webhooks.ts'
import type { PushKey } from './push-key.ts'
import { pushSecretsInForce } from './push-secrets.ts'
import { withoutCredentials } from './web-credentials.ts'

export interface PushClientDeps {
  store: Store
  clock: Clock
  /** Customers compare what is signed with a clock of their own: never put forward. */
  wallClock: Clock
  vault: Vault
  outbound: OutboundHttp
  key: PushKey
  /** The signature by the installation's key goes under this name, too: receivers may look for another one than ours. */
  signatureHeader?: string | undefined
  /** It was answered, or not, after this time. */
  onPosted?: ((posted: { ms: number; outcome: 'delivered' | 'failed' }) => void) | undefined
}

export interface Posting {
  /** The same in every try of one message. */
  id: string
  accountId: string
  /** May hold a name and password. */
  url: string
  body: string
  deadlineMs: number
  signal: AbortSignal
}

/** Several times as long as the longest one that makes sense. */
const maxReplyBytes = 16 * 1024
const maxSoundBytes = 10 * 1024 * 1024

const formHeaders = {
  'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
  accept: 'application/xml, text/plain, text/html',
  'accept-charset': 'utf-8',
  'user-agent': userAgent,
}

/** To the account's own software, signed twice: with the installation's key and, if the account has one, with its secret. */
export class PushClient {
  readonly #deps: PushClientDeps

  constructor(deps: PushClientDeps) {
    this.#deps = deps
  }

  async post({ url: address, body, deadlineMs, signal, ...message }: Posting): Promise<OutboundReply> {
    const { url, headers } = withoutCredentials(address)
    const signed = { ...formHeaders, ...(await this.#signatures(message, body)), ...headers }
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
