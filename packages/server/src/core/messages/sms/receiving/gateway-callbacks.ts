import { timingSafeEqual } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import type { ReceiptState, SmsReceiver } from '#core/kernel/ports/messages.ts'
import type { Vault } from '#core/kernel/ports/platform.ts'

interface GatewayCallbacksDeps {
  vault: Vault
  receiver: SmsReceiver
  /** Without a trailing slash; known once the service listens. */
  publicUrl: () => string
}

/** Kannel's codes; 4, 8 and 32 are intermediate. */
const endings: Record<string, ReceiptState> = { 1: 'DELIVERED', 2: 'UNDELIVERABLE', 16: 'REJECTED' }

/** Callback addresses for the HTTP gateway. The secret in the address authenticates the gateway. */
export class GatewayCallbacks {
  readonly #secret: string
  readonly #receiver: SmsReceiver
  readonly #publicUrl: () => string

  constructor({ vault, receiver, publicUrl }: GatewayCallbacksDeps) {
    this.#secret = Buffer.from(vault.derive('SMS gateway')).toString('base64url')
    this.#receiver = receiver
    this.#publicUrl = publicUrl
  }

  receiptsUrl(): string {
    return `${this.#publicUrl()}/gateway/v1/${this.#secret}/receipts`
  }

  messagesUrl(): string {
    return `${this.#publicUrl()}/gateway/v1/${this.#secret}/messages`
  }

  /** Call before reading anything else of the request. */
  demand(secret: string): void {
    const [given, known] = [Buffer.from(secret), Buffer.from(this.#secret)]
    if (given.length !== known.length || !timingSafeEqual(given, known)) throw new Problem('not_found')
  }

  async receipt({ id, type, answer }: { id: string; type: string; answer: string }): Promise<void> {
    const state = endings[type]
    if (state) await this.#receiver.receipt('gateway', { id, state, error: state === 'DELIVERED' ? '' : answer })
  }

  async message({ from, to, text }: { from: string; to: string; text: string }): Promise<void> {
    await this.#receiver.arrived('gateway', { sender: from, recipient: to, text })
  }
}
