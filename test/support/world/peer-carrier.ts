import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import type { CarrierMessageBody } from '@offhook/contract/carrier/messages.ts'
import { newWebhookSecret, signWebhook, verifyWebhook } from '#core/kernel/webhook/standard-webhooks.ts'
import type { World } from './world.ts'
import { startLoopbackServer } from '../http/loopback-server.ts'

/** Another carrier, played by the test: keeps received messages, answers as scripted, signs like a real one. */
export class PeerCarrier {
  readonly code: string
  readonly secret = newWebhookSecret()
  readonly heard: CarrierMessageBody[] = []
  /** Response status to each message. */
  status = 204
  readonly #world: World

  constructor(world: World, code: string) {
    this.#world = world
    this.code = code
  }

  /** Listens, and is registered with the world's operator. */
  static async join(t: TestContext, world: World, code: string): Promise<PeerCarrier> {
    const peer = new PeerCarrier(world, code)
    const address = await startLoopbackServer(t, (request, reply) => void peer.#hear(request, reply))
    const operator = await world.operator()
    await operator.createCarrier({}, { code, name: code, url: `http://${address}`, secret: peer.secret })
    return peer
  }

  async #hear(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const body = await text(request)
    const seconds = Math.floor(this.#world.clock.now() / 1000)
    const trusted = verifyWebhook(request.headers, body, [this.secret], seconds)
    reply.statusCode = trusted ? this.status : 401
    if (trusted && this.status < 300) this.heard.push(JSON.parse(body) as CarrierMessageBody)
    reply.end()
  }

  /** Sends a message and waits until all its effects are done. */
  async say(message: Partial<CarrierMessageBody> & Pick<CarrierMessageBody, 'type' | 'preAgreementId'>): Promise<number> {
    const full = { id: randomUUID(), ...message }
    const reply = await this.post(JSON.stringify(full))
    await this.#world.running.idle()
    return reply.status
  }

  /** Posts a body verbatim, signed with any secret. */
  async post(body: string, { secret = this.secret, code = this.code }: { secret?: string; code?: string } = {}): Promise<Response> {
    const headers = { 'content-type': 'application/json', 'x-carrier-code': code, ...this.sign(body, secret) }
    return fetch(`${this.#world.url}/carrier/v1/messages`, { method: 'POST', headers, body })
  }

  sign(body: string, secret = this.secret): Record<string, string> {
    const timestampSeconds = Math.floor(this.#world.clock.now() / 1000)
    return signWebhook({ id: randomUUID(), timestampSeconds, body, secrets: [secret] })
  }

  /** Last received message, which must be of this type. */
  last(type: CarrierMessageBody['type']): CarrierMessageBody {
    const message = this.heard.at(-1)
    assert.equal(message?.type, type)
    return message
  }
}
