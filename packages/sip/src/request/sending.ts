import type { Authorizer } from '../digest/authorize.ts'
import type { HeaderLines } from '../message/build.ts'
import type { Response } from '../message/message.ts'
import { buildCompanion, buildOutgoing } from './outgoing-request.ts'
import type { OutgoingRequest } from './outgoing-request.ts'
import { viaTowards } from './stack.ts'
import type { Stack } from './stack.ts'
import { newBranch } from '../transaction/tokens.ts'
import { nothing } from '../transaction/timers.ts'
import { InviteClient } from '../transaction/invite-client.ts'
import type { ClientEvents } from '../transaction/invite-client.ts'
import type { ClientTransaction } from '../transaction/transactions.ts'
import type { Flow } from '../transport/transport.ts'
import type { SipUri } from '../grammar/uri.ts'

/** RFC 3261 §18.1.1: what is larger goes over a connection. */
const maxDatagramBytes = 1_300

export interface SendingOptions {
  /** Where it goes, unless `flow` says it. */
  hop: SipUri
  flow?: Flow | undefined
  /** Tries the next address also after silence or 503: only before there is a dialog. */
  failover: boolean
  authorizer?: Authorizer | undefined
  /** INVITE: how long to wait for the first response of an address, even a 100, before the next one is tried. */
  silenceMs?: number | undefined
  /** The number of the request that answers a challenge. */
  renumber(): number
}

export interface SendingEvents {
  /** Provisional and final ones, without challenges that are answered and addresses that are given up. */
  response(response: Response, from: Flow): void
  failed(status: 408 | 503): void
  /** No response within `silenceMs`; later ones are still reported. */
  silent?(): void
}

const ignored = { response: () => {}, failed: () => {} }

/** One request until its final response: addresses to try, TCP for large ones, challenges. Not for the ACK of a 2xx. */
export class Sending {
  readonly #stack: Stack
  readonly #options: SendingOptions
  readonly #events: SendingEvents
  #request: OutgoingRequest
  #flows: readonly Flow[] = []
  #next = 0
  /** What goes over TCP only because it is large goes back to this. */
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

  /** The credentials that it was sent with. */
  get credentials(): HeaderLines {
    return this.#credentials
  }

  /** Where it was sent. */
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

  /** Only for INVITE. Waits for the first provisional response, as RFC 3261 §9.1 wants it. False when it was never sent. */
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

  /** Its outcome is of no interest any more: no further response is reported. */
  abandon(): void {
    this.#finished = true
    this.#stopListening()
    this.#transaction?.terminate()
  }

  /** Whoever sent it is gone: later answers are for this one. */
  handOver(events: ClientEvents): void {
    if (this.#transaction instanceof InviteClient) this.#transaction.handOver(events)
  }

  #startOn(flows: readonly Flow[]): void {
    if (this.#finished) return
    this.#flows = flows
    try {
      this.#tryNext(503)
    } catch (error) {
      // What cannot be written cannot be sent anywhere.
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

  /** A flow that was given is the only way to the peer. */
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

  /** The last address keeps its transaction: a peer that answers late must be cancelled. */
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

  /** True when the request is sent again: with credentials, or to the next address. */
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
