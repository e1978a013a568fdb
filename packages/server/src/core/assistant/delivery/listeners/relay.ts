import { Problem } from '@offhook/contract/problem.ts'
import { JsonTooComplex, parseBoundedJson } from '@offhook/contract/bounded-json.ts'
import { bodyChecker } from '@offhook/contract/validation.ts'
import { listenEnds, ListenFrame, type ListenFailure, type ListenOrder, type ListenReply } from '@offhook/contract/v3/listen.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { OutboundFailure, type OutboundReply, type OutboundRequest } from '#core/kernel/ports/outbound.ts'

/** The connection to a listener. */
interface ListenerConnection {
  /** `sent` is called when the text was passed to the network. */
  send(text: string, sent: () => void): void
  /** Bytes queued for the network. */
  waiting(): number
  close(code: number, reason: string): void
}

interface RelayRequest {
  id: string
  to: string | undefined
  clock: Clock
  connection: ListenerConnection
}

const maxQueuedBytes = 1024 * 1024
/** One long string, because a reply's body is one. */
const frameLimits = { maxLength: 64 * 1024, maxValues: 1_000, longString: 1_000 }

/** Consecutive replies to unknown requests: one or two late ones are normal. */
const maxStrays = 200

const checkFrame = bodyChecker(ListenFrame)

/** Carries requests to a listener and their replies back over one connection. */
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

  /** Handles a message of the listener. An unreadable one closes the connection, so that the developer notices. */
  said(text: string): void {
    if (this.#ended) return
    try {
      this.#take(checkFrame(parseBoundedJson(text, frameLimits)))
    } catch (error) {
      if (!(error instanceof Problem) && !(error instanceof SyntaxError) && !(error instanceof JsonTooComplex)) throw error
      this.end(listenEnds.misunderstood, error instanceof SyntaxError ? 'a message is not JSON' : error.message)
    }
  }

  replaced(): void {
    this.end(listenEnds.replaced, 'somebody else listens to this flow now')
  }

  end(code: number, reason: string): void {
    if (this.#ended) return
    this.broke()
    this.#connection.close(code, reason)
  }

  /** The connection is gone: fails pending requests immediately. */
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

/** A developer's machine that receives the events of a flow instead of its endpoint. */
export interface Listener {
  readonly id: string
  /** Forwarding address reported by the listener. */
  readonly to: string | undefined
  /** True after disconnection. */
  readonly over: boolean
  /** Like OutboundHttp.request, but ignores the address. Rejects with OutboundFailure. */
  request(request: OutboundRequest): Promise<OutboundReply>
  /** Called when a newer listener has replaced it. */
  replaced(): void
}

export interface ListenerName {
  accountId: string
  flowId: string
  id: string
}

/** Announces a listener, the newest of its flow as far as its process knows. */
export interface Here extends ListenerName {
  type: 'here'
  to?: string
  since: number
}

/** A request from another process to a listener. */
export interface Ask extends ListenerName {
  type: 'ask'
  flight: string
  request: Required<Pick<OutboundRequest, 'headers' | 'body'>> & Pick<OutboundRequest, 'deadlineMs' | 'maxBytes'>
}

/** Progress or result of that request. */
export type NewsQuery = ListenerName & { flight: string } & (
    | { type: 'sign'; wired: boolean }
    | ({ type: 'reply'; body: string } & Pick<OutboundReply, 'status' | 'headers'>)
    /** `over`: the listener is gone. */
    | ({ type: 'failure'; over: boolean; status?: number } & Pick<OutboundFailure, 'kind' | 'message'>)
  )

/** Messages between processes about listeners. An older process ignores unknown types. */
export type ListenerMessage =
  /** From a process that knows no listeners yet. */
  { type: 'hello' } | Here | ({ type: 'gone' } & ListenerName) | Ask | NewsQuery

/** Milliseconds between confirmations that a request is still pending. */
export const heartbeatIntervalMs = 500
/** Milliseconds of silence after which the request fails like a failed connection. */
export const maxSilenceMs = 3_000

interface PendingRequest {
  request: OutboundRequest
  resolve: (reply: OutboundReply) => void
  fail: (failure: OutboundFailure) => void
}

/** Pending requests above which a listener is too slow: calls must not wait for each other. */
const maxPending = 64

/** Pending requests to one listener. Each ends with a reply, a failure, or its time limit. */
export class PendingRequests {
  readonly #clock: Clock
  readonly #pending = new Map<string, PendingRequest>()
  #count = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#pending.size
  }

  of(id: string): PendingRequest | undefined {
    return this.#pending.get(id)
  }

  async send(request: OutboundRequest, transmit: (id: string) => void): Promise<OutboundReply> {
    const { signal, deadlineMs } = request
    if (signal?.aborted) throw aborted()
    if (this.#pending.size >= maxPending) throw overloaded()
    const id = String(++this.#count)
    const reply = Promise.withResolvers<OutboundReply>()
    this.#pending.set(id, { request, resolve: reply.resolve, fail: reply.reject })
    const late = (): void => reply.reject(new OutboundFailure('timeout', `the listener did not answer within ${deadlineMs} ms`))
    const cancel = this.#clock.after(deadlineMs, late)
    const stop = (): void => reply.reject(aborted())
    signal?.addEventListener('abort', stop)
    try {
      transmit(id)
      return await reply.promise
    } finally {
      cancel()
      signal?.removeEventListener('abort', stop)
      this.#pending.delete(id)
    }
  }

  /** The listener is gone: fails pending requests immediately. */
  break(): void {
    for (const { fail } of this.#pending.values()) fail(new OutboundFailure('broken', 'the listener went away before it answered'))
  }
}

export const overloaded = (): OutboundFailure => new OutboundFailure('connect', 'the listener does not keep up')

export const noAnswerText = (): OutboundFailure => new OutboundFailure('connect', 'nobody listens any more')

const aborted = (): OutboundFailure => new OutboundFailure('aborted', 'nobody waits for the answer any more')
