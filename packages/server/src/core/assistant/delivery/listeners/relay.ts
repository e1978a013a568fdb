import { Problem } from '@offhook/contract/problem.ts'
import { bodyChecker } from '@offhook/contract/validation.ts'
import { listenEnds, ListenFrame, type ListenFailure, type ListenOrder, type ListenReply } from '@offhook/contract/v3/listen.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import { OutboundFailure, type OutboundReply, type OutboundRequest } from '#core/kernel/ports/outbound-http.ts'
import { PendingRequests, noAnswerText, overloaded } from './pending-requests.ts'
import type { Listener } from './listener-messages.ts'

/** The connection to a listener. */
export interface ListenerConnection {
  /** `sent` is called when it was given to the network. */
  send(text: string, sent: () => void): void
  /** Bytes that still wait to be given to it. */
  waiting(): number
  close(code: number, reason: string): void
}

export interface RelayRequest {
  id: string
  to: string | undefined
  clock: Clock
  connection: ListenerConnection
}

const maxQueuedBytes = 1024 * 1024

/** Replies in a row to requests that are not pending: one or two late ones are usual. */
const maxStrays = 200

const checkFrame = bodyChecker(ListenFrame)

/** Carries requests to a listener and their replies back, over one connection. */
export class Relay implements Listener {
  readonly id: string
  readonly to: string | undefined
  readonly #connection: ListenerConnection
  readonly #pending: PendingRequests
  #orphans = 0
  #ended = false

  constructor({ id, to, clock, connection }: RelayRequest) {
    this.id = id
    this.to = to
    this.#connection = connection
    this.#pending = new PendingRequests(clock)
  }

  get over(): boolean {
    return this.#ended
  }

  async request(wanted: OutboundRequest): Promise<OutboundReply> {
    if (this.#ended) throw noAnswerText()
    if (this.#connection.waiting() > maxQueuedBytes) throw overloaded()
    return this.#pending.send(wanted, (id) => this.#transmit(id, wanted))
  }

  /** A message of the listener. One that cannot be read ends the connection, so that its developer notices. */
  said(text: string): void {
    if (this.#ended) return
    try {
      this.#take(checkFrame(JSON.parse(text)))
    } catch (error) {
      if (!(error instanceof Problem) && !(error instanceof SyntaxError)) throw error
      this.end(listenEnds.misunderstood, error instanceof Problem ? error.message : 'a message is not JSON')
    }
  }

  replaced(): void {
    this.end(listenEnds.replaced, 'somebody else listens to this flow now')
  }

  /** Closes the connection from our side. */
  end(code: number, reason: string): void {
    if (this.#ended) return
    this.broke()
    this.#connection.close(code, reason)
  }

  /** The connection is gone: pending requests fail at once. */
  broke(): void {
    this.#ended = true
    this.#pending.break()
  }

  #transmit(id: string, { headers = {}, body = '', deadlineMs, onWire = () => {} }: OutboundRequest): void {
    const order: ListenOrder = { type: 'request', id, headers, body, deadlineMs: Math.floor(deadlineMs) }
    this.#connection.send(JSON.stringify(order), onWire)
  }

  #take(frame: ListenReply | ListenFailure): void {
    const pending = this.#pending.of(frame.id)
    this.#orphans = pending ? 0 : this.#orphans + 1
    if (this.#orphans > maxStrays) this.end(listenEnds.misunderstood, 'too many answers that nobody waits for')
    if (!pending) return
    if (frame.type === 'failure') return pending.fail(new OutboundFailure(frame.kind, frame.message))
    const body = Buffer.from(frame.body, frame.base64 ? 'base64' : 'utf8')
    const { maxBytes } = pending.request
    if (body.length > maxBytes)
      return pending.fail(new OutboundFailure('too_large', `the answer is larger than ${maxBytes} bytes`, frame.status))
    pending.resolve({ status: frame.status, headers: lowerCased(frame.headers), body })
  }
}

const lowerCased = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
