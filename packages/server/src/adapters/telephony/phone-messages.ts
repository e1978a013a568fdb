import { createHash } from 'node:crypto'
import type { ErrorCode } from '@offhook/contract/errors.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { PhoneMessages, TakePhoneText } from '../../core/ports/sms-routes.ts'
import { StoreUnavailable } from '../../core/ports/store/index.ts'
import { bracketed } from '../../sip/host.ts'
import type { Request } from '../../sip/message.ts'
import { formatNameAddr } from '../../sip/name-addr.ts'
import type { Refusal } from '../../sip/request-checks.ts'
import { quote } from '../../sip/scan.ts'
import { SipError } from '../../sip/sip-error.ts'
import type { Transport } from '../../sip/transport.ts'
import { formatUri, makeUri } from '../../sip/uri.ts'
import type { IncomingRequest, UserAgent } from '../../sip/user-agent.ts'
import type { DeviceAuthenticator, ProvenDevice } from './authenticate.ts'
import { BoundedMap } from './bounded-map.ts'
import { dialledUser } from './identity.ts'
import { textOf } from './message-text.ts'
import type { Place } from './phone-place.ts'
import type { PhonePlaces } from './phone-places.ts'

export interface PhoneMessagesOptions {
  clock: Clock
  agent: UserAgent
  transport: Transport
  places: PhonePlaces
  authenticator: DeviceAuthenticator
  onError: (error: unknown) => void
}

/** Well before the sender of another message gives up, who may be waiting for this. */
const longestWaitMs = 10_000
/** A phone may write so many messages at once, and then one each second. */
const burst = 20
const refillPerMs = 1 / 1000
const warningAgent = '399 offhook'

/** Texts to phones and from phones: page mode of RFC 3428. */
export class SipPhoneMessages implements PhoneMessages {
  readonly #options: PhoneMessagesOptions
  /** How many messages each phone has left, and since when. */
  readonly #allowance = new BoundedMap<string, { left: number; at: number }>(10_000)
  #take: TakePhoneText = () => Promise.reject(new Problem('line_unavailable'))

  constructor(options: PhoneMessagesOptions) {
    this.#options = options
  }

  onText(take: TakePhoneText): void {
    this.#take = take
  }

  async send(to: { accountId: string; deviceId: string }, message: { from: string; text: string }): Promise<number> {
    const places = await this.#options.places.of(to.accountId, to.deviceId)
    const taken = await Promise.all(places.map((place) => this.#within(this.#sendTo(place, message))))
    return taken.filter(Boolean).length
  }

  async #sendTo({ uri, routes, flow }: Place, { from, text }: { from: string; text: string }): Promise<boolean> {
    const { agent, transport } = this.#options
    const { host } = transport.localAddress(flow.kind, flow.address)
    const sender = formatNameAddr({ uri: formatUri(makeUri({ user: from, host: bracketed(host) })) })
    const draft = { method: 'MESSAGE', uri, routes, flow, from: sender, contentType: 'text/plain;charset=UTF-8', body: text }
    const { status } = await agent.request(draft)
    return status >= 200 && status < 300
  }

  /** Whoever is silent for so long has not taken it, and neither has a phone whose address nobody can read. */
  #within(sent: Promise<boolean>): Promise<boolean> {
    const { clock, onError } = this.#options
    return new Promise((resolve) => {
      const cancelTimer = clock.after(longestWaitMs, () => resolve(false))
      sent.finally(cancelTimer).then(resolve, (error: unknown) => {
        if (!(error instanceof SipError)) onError(error)
        resolve(false)
      })
    })
  }

  /** Answers a MESSAGE; never rejects. */
  async answer(incoming: IncomingRequest): Promise<void> {
    const { request, from } = incoming
    if (request.toTag !== undefined) return incoming.respond(481)
    const proof = await this.#options.authenticator.prove(request, from)
    const answer = 'status' in proof ? proof : await this.#takeFrom(proof.device, request)
    incoming.respond(answer.status, { headers: answer.headers })
  }

  async #takeFrom(device: ProvenDevice, request: Request): Promise<Refusal> {
    const read = textOf(request)
    if ('status' in read) return read
    const wait = this.#waitOf(device)
    if (wait > 0) return { status: 480, headers: [['Retry-After', String(wait)], warning('Too many messages')] }
    const { accountId, deviceId } = device
    try {
      const taken = await this.#take({ accountId, deviceId, to: dialledUser(request), text: read.text, id: idOf(device, request) })
      return { status: { delivered: 200, accepted: 202 }[taken], headers: [] }
    } catch (error) {
      return this.#failure(error)
    }
  }

  /** Seconds until it may write again. */
  #waitOf({ username }: ProvenDevice): number {
    const now = this.#options.clock.now()
    const { left, at } = this.#allowance.get(username) ?? { left: burst, at: now }
    const filled = Math.min(burst, left + Math.max(0, now - at) * refillPerMs)
    if (filled < 1) return Math.ceil((1 - filled) / refillPerMs / 1000)
    this.#allowance.set(username, { left: filled - 1, at: now })
    return 0
  }

  #failure(error: unknown): Refusal {
    if (error instanceof SipError) return { status: error.status, headers: [] }
    if (error instanceof Problem) return { status: statusOf(error), headers: [warning(error.message)] }
    this.#options.onError(error)
    return error instanceof StoreUnavailable ? { status: 503, headers: [['Retry-After', '5']] } : { status: 500, headers: [] }
  }
}

/** People with a display see why. */
const warning = (text: string): readonly [string, string] => ['Warning', `${warningAgent} ${quote(text)}`]

/** Only whom nobody knows is 404: that there is no sender is no answer to whom it goes. */
const statuses: Partial<Record<ErrorCode, number>> = { callee_invalid: 404, number_invalid: 404, sms_not_found: 403 }

/** 503 would make phones believe that this server is out of order. */
const statusOf = ({ status, code }: Problem): number => statuses[code] ?? (status < 500 ? status : 480)

/** The same for one that is sent again because its answer got lost; what it says counts, too, for phones that number carelessly. */
const idOf = ({ username }: ProvenDevice, { callId, cseq, uri, body }: Request): string => {
  const hash = createHash('sha256')
    .update(JSON.stringify([username, callId, cseq.number, uri]))
    .update(body)
    .digest('hex')
  return [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`, hash.slice(20, 32)].join('-')
}
