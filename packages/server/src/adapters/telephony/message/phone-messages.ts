import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { TokenBuckets, type TokenRate } from '#core/kernel/token-bucket.ts'
import { atMost } from '#core/kernel/work/waiting.ts'
import type { PhoneMessages, TakePhoneText } from '#core/kernel/ports/messages.ts'
import { bracketed, formatUri, makeUri } from '@offhook/sip/grammar/uri.ts'
import type { Request } from '@offhook/sip/message/message.ts'
import { formatNameAddr } from '@offhook/sip/grammar/headers.ts'
import type { SipRejection } from '@offhook/sip/user-agent/request-checks.ts'
import { SipError } from '@offhook/sip/grammar/scan.ts'
import type { Transport } from '@offhook/sip/transport/transport.ts'
import type { UserAgent } from '@offhook/sip/user-agent/user-agent.ts'
import type { IncomingRequest } from '@offhook/sip/request/incoming-request.ts'
import type { DeviceAuthenticator, ProvenDevice } from '../guard/authenticate.ts'
import { dialledUser } from '../identity/identity.ts'
import { rejectionOf, tooMany, messageId, textOf } from './message-text.ts'
import type { Binding, Bindings } from '../phone/binding.ts'

interface PhoneMessagesOptions {
  clock: Clock
  agent: UserAgent
  transport: Transport
  bindings: Bindings
  authenticator: DeviceAuthenticator
  /** Our domain for phones; default: the address at which they reach us. */
  domain: string | undefined
  onError: (error: unknown) => void
}

/** Well before the sender of another message gives up, which may wait for this. */
const answerTimeoutMs = 10_000
const rate: TokenRate = { burst: 20, perSecond: 1 }
const keptSenders = 10_000

/** Text messages to and from phones: page mode of RFC 3428. */
export class SipPhoneMessages implements PhoneMessages {
  readonly #options: PhoneMessagesOptions
  readonly #limit: TokenBuckets
  #take: TakePhoneText = () => Promise.reject(new Problem('line_unavailable'))

  constructor(options: PhoneMessagesOptions) {
    this.#options = options
    this.#limit = new TokenBuckets(options.clock, keptSenders)
  }

  onText(take: TakePhoneText): void {
    this.#take = take
  }

  async send(to: { accountId: string; deviceId: string }, message: { from: string; text: string }): Promise<number> {
    const bindings = await this.#options.bindings.of(to.accountId, to.deviceId)
    const taken = await Promise.all(bindings.map((binding) => this.#delivers(binding, message)))
    return taken.filter(Boolean).length
  }

  /** A phone that does not answer in time, or has an unreadable address, counts as not delivered. */
  #delivers(binding: Binding, message: { from: string; text: string }): Promise<boolean> {
    const { clock, onError } = this.#options
    const sent = this.#sendTo(binding, message).catch((error: unknown) => {
      if (!(error instanceof SipError)) onError(error)
      return false
    })
    return atMost(clock, answerTimeoutMs, sent, false)
  }

  async #sendTo({ uri, routes, flow }: Binding, { from, text }: { from: string; text: string }): Promise<boolean> {
    const { agent, transport, domain } = this.#options
    const host = domain ?? bracketed(transport.localAddress(flow.kind, flow.address).host)
    const sender = formatNameAddr({ uri: formatUri(makeUri({ user: from, host })) })
    const draft = { method: 'MESSAGE', uri, routes, flow, from: sender, contentType: 'text/plain;charset=UTF-8', body: text }
    const { status } = await agent.request(draft)
    return status >= 200 && status < 300
  }

  /** Answers a MESSAGE; never rejects. */
  async answer(incoming: IncomingRequest): Promise<void> {
    const { request, from } = incoming
    if (request.toTag !== undefined) return incoming.respond(481)
    const proof = await this.#options.authenticator.prove(request, from)
    const answer = 'status' in proof ? proof : await this.#takeFrom(proof.device, request)
    incoming.respond(answer.status, { headers: answer.headers })
  }

  async #takeFrom(device: ProvenDevice, request: Request): Promise<SipRejection> {
    const read = textOf(request)
    if ('status' in read) return read
    const { accountId, deviceId, username } = device
    if (!this.#limit.take(username, rate)) return tooMany(480, Math.ceil(this.#limit.secondsUntil(username, rate)))
    try {
      const taken = await this.#take({ accountId, deviceId, to: dialledUser(request), text: read.text, id: messageId(username, request) })
      return { status: { delivered: 200, accepted: 202 }[taken], headers: [] }
    } catch (error) {
      return rejectionOf(error, this.#options.onError)
    }
  }
}
