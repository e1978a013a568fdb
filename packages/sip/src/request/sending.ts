import type { Authorizer } from '../digest/digest-client.ts'
import { type HeaderLines, buildRequest, type Body } from '../message/build.ts'
import type { Response } from '../message/message.ts'
import { viaTowards, type Stack, contactTowards } from './stack.ts'
import { newBranch, type ClientTransaction } from '../transaction/transactions.ts'
import { nothing } from '../transaction/timers.ts'
import { InviteClient, type ClientEvents } from '../transaction/client-transactions.ts'
import type { Flow } from '../transport/transport.ts'
import type { SipUri } from '../grammar/uri.ts'
import type { DialogRequest } from '../dialog/dialog.ts'

/** RFC 3261 §18.1.1: larger requests use a connection. */
const maxDatagramBytes = 1_300

interface SendingOptions {
  /** Next hop, unless `flow` is given. */
  hop: SipUri
  flow?: Flow | undefined
  /** Also tries the next address after silence or 503: only before a dialog exists. */
  failover: boolean
  authorizer?: Authorizer | undefined
  /** INVITE: milliseconds to wait for any response of an address, even a 100, before trying the next. */
  silenceMs?: number | undefined
  /** CSeq of the request that answers a challenge. */
  renumber(): number
}

export interface SendingEvents {
  /** Provisional and final responses, except answered challenges and abandoned addresses. */
  response(response: Response, from: Flow): void
  failed(status: 408 | 503): void
  /** No response within `silenceMs`; later ones are still reported. */
  silent?(): void
}

const ignored = { response: () => {}, failed: () => {} }

/** One request until its final response: addresses to try, TCP for large requests, challenges. Not for the ACK of a 2xx. */
export class Sending {
  readonly #stack: Stack
  readonly #options: SendingOptions
  readonly #events: SendingEvents
  #request: OutgoingRequest
  #flows: readonly Flow[] = []
  #next = 0
  /** UDP fallback of a request sent over TCP only because of its size. */
  #datagramWay: Flow | undefined
  #transaction: ClientTransaction | undefined
  #via = ''
  #branch = ''
  #credentials: HeaderLines = []
  #provisional = false
  #finished = false
  #cancelWith: HeaderLines | undefined
  #stopListening = nothing

  constructor(stack: Stack, request: OutgoingRequest, options: SendingOptions, events: SendingEvents) {
    this.#stack = stack
    this.#request = request
    this.#options = options
    this.#events = events
  }

  /** Credentials of the request. */
  get credentials(): HeaderLines {
    return this.#credentials
  }

  /** Flow of the request. */
  get flow(): Flow | undefined {
    return this.#transaction?.flow
  }

  start(): void {
    if (this.#options.flow) return this.#startOn([this.#options.flow])
    this.#stack.resolve(this.#options.hop).then(
      (flows) => this.#startOn(flows),
      () => this.#startOn([]),
    )
  }

  /** INVITE only. Waits for the first provisional response (RFC 3261 §9.1). Returns false if it was never sent. */
  cancel(headers: HeaderLines): boolean {
    if (this.#finished || this.#cancelWith) return true
    this.#cancelWith = headers
    if (!this.#transaction) {
      this.#finished = true
      return false
    }
    if (this.#provisional) this.#sendCancel(headers)
    return true
  }

  /** Stops reporting responses. */
  abandon(): void {
    this.#finished = true
    this.#stopListening()
    this.#transaction?.terminate()
  }

  /** Reports later responses to `events`, because the sender has ended. */
  handOver(events: ClientEvents): void {
    if (this.#transaction instanceof InviteClient) this.#transaction.handOver(events)
  }

  #startOn(flows: readonly Flow[]): void {
    if (this.#finished) return
    this.#flows = flows
    try {
      this.#tryNext(503)
    } catch (error) {
      // An unbuildable message cannot be sent to any address.
      this.#stack.fault(error)
      this.#fail(503)
    }
  }

  #tryNext(status: 408 | 503): void {
    const flow = this.#flows[this.#next++]
    if (flow && !this.#cancelWith && !this.#stack.transactions.closed) this.#tryOn(flow)
    else this.#fail(status)
  }

  #fail(status: 408 | 503): void {
    this.#finished = true
    this.#stopListening()
    this.#events.failed(status)
  }

  #tryOn(flow: Flow): void {
    this.#credentials = this.#options.authorizer?.preemptive(this.#request, flow) ?? []
    const message = this.#build(flow)
    if (message.length <= maxDatagramBytes || !this.#mayUpgrade(flow)) return this.#launch(message, flow)
    this.#datagramWay = flow
    const connected: Flow = { kind: 'tcp', address: flow.address, port: flow.port }
    this.#launch(this.#build(connected), connected)
  }

  /** A given flow is the only way to the peer. */
  #mayUpgrade(flow: Flow): boolean {
    return flow.kind === 'udp' && !this.#options.flow && !this.#stack.withoutTcp.has(flow)
  }

  #launch(bytes: Uint8Array, flow: Flow): void {
    const { transactions } = this.#stack
    const events = { response: this.#onResponse, failed: this.#onFailure }
    this.#provisional = false
    const { method } = this.#request
    const ack = (response: Response) => buildCompanion(this.#request, this.#via, 'ACK', response.header('to'))
    this.#transaction =
      method === 'INVITE'
        ? transactions.startInvite(this.#branch, { bytes, flow }, ack, events)
        : transactions.startRequest(this.#branch, method, { bytes, flow }, events)
    this.#listen()
  }

  #listen(): void {
    const { silenceMs } = this.#options
    this.#stopListening()
    if (silenceMs !== undefined && !this.#finished) this.#stopListening = this.#stack.clock.after(silenceMs, () => this.#heardNothing())
  }

  /** The last address keeps its transaction: a late response must be cancelled. */
  #heardNothing(): void {
    if (this.#cancelWith) return
    if (this.#datagramWay) this.#transaction?.fail(503)
    else if (this.#next < this.#flows.length) this.#transaction?.fail(408)
    else this.#events.silent?.()
  }

  #build(flow: Flow): Uint8Array {
    this.#branch = newBranch()
    this.#via = viaTowards(this.#stack, flow, this.#branch)
    return buildOutgoing(this.#stack, this.#request, flow, this.#via, this.#credentials)
  }

  #sendCancel(headers: HeaderLines): void {
    const flow = this.#transaction?.flow
    if (flow === undefined) return
    const bytes = buildCompanion(this.#request, this.#via, 'CANCEL', this.#request.to, headers)
    this.#stack.transactions.startRequest(this.#branch, 'CANCEL', { bytes, flow }, ignored)
  }

  readonly #onResponse = (response: Response, from: Flow): void => {
    this.#stopListening()
    if (response.status < 200) {
      const first = !this.#provisional
      this.#provisional = true
      if (first && this.#cancelWith) this.#sendCancel(this.#cancelWith)
    } else if (response.status >= 300 && this.#tryOtherwise(response)) return
    else this.#finished = true
    this.#events.response(response, from)
  }

  /** Returns true if the request is retried: with credentials, or at the next address. */
  #tryOtherwise(response: Response): boolean {
    const flow = this.#transaction?.flow
    if (this.#cancelWith || this.#finished || flow === undefined) return false
    if (response.status === 401 || response.status === 407) {
      const credentials = this.#options.authorizer?.answer(response, this.#request, flow)
      if (credentials === undefined) return false
      this.#credentials = credentials
      this.#request = { ...this.#request, cseq: this.#options.renumber() }
      this.#launch(this.#build(flow), flow)
      return true
    }
    if (response.status !== 503 || !this.#options.failover || this.#next >= this.#flows.length) return false
    this.#tryNext(503)
    return true
  }

  readonly #onFailure = (status: 408 | 503): void => {
    const datagramWay = this.#datagramWay
    if (datagramWay && status === 503 && !this.#cancelWith && !this.#stack.transactions.closed) {
      this.#datagramWay = undefined
      this.#stack.withoutTcp.add(datagramWay)
      return this.#launch(this.#build(datagramWay), datagramWay)
    }
    const onward = status === 503 || this.#options.failover
    if (onward && this.#next < this.#flows.length) this.#tryNext(status)
    else this.#fail(status)
  }
}

interface OutgoingRequest extends DialogRequest {
  headers: HeaderLines
  /** Adds our Contact. */
  contactUser?: string | undefined
  /** Appended to the Contact: `;expires=60`. */
  contactParams?: string | undefined
  body?: Body | undefined
  maxForwards?: number | undefined
}

const startOf = (request: OutgoingRequest, via: string, method: string, to: string): (readonly [string, string])[] => {
  const { callId, cseq, from, maxForwards, routes } = request
  const headers: (readonly [string, string])[] = [['Via', via]]
  for (const route of routes) headers.push(['Route', route])
  headers.push(['Max-Forwards', String(maxForwards ?? 70)], ['From', from], ['To', to], ['Call-ID', callId], ['CSeq', `${cseq} ${method}`])
  return headers
}

const buildOutgoing = (stack: Stack, request: OutgoingRequest, flow: Flow, via: string, credentials: HeaderLines): Uint8Array => {
  const headers = startOf(request, via, request.method, request.to)
  if (request.contactUser !== undefined) {
    const contact = contactTowards(stack, flow, request.contactUser, request.uri.startsWith('sips:'))
    headers.push(['Contact', contact + (request.contactParams ?? '')])
  }
  if (stack.product !== '') headers.push(['User-Agent', stack.product])
  headers.push(...request.headers, ...credentials)
  return buildRequest(request.method, request.uri, headers, request.body)
}

/** ACK and CANCEL copy fields of their INVITE: RFC 3261 §9.1 and §17.1.1.3. */
const buildCompanion = (
  request: OutgoingRequest,
  via: string,
  method: 'ACK' | 'CANCEL',
  to: string = request.to,
  headers: HeaderLines = [],
): Uint8Array => buildRequest(method, request.uri, [...startOf(request, via, method, to), ...headers])
