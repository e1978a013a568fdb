import { callIdOf } from '@offhook/contract/assistant/session.ts'
import type { ActionProblem } from '#core/kernel/ports/store/session.ts'
import { beginEntry, type Attempt, type Way, outcomeText, verdictOn } from '#core/assistant/delivery/attempts/attempt.ts'
import { deliverLive, type Route, type DeliveryDeps, EventDelivery } from '#core/assistant/delivery/events/deliver-live.ts'
import type { Listener } from '#core/assistant/delivery/listeners/relay.ts'
import {
  EndpointUnavailable,
  type EndpointReply,
  type EndpointChannel,
  type EndpointChannelObserver,
  type OutgoingEvent,
} from '#core/kernel/ports/assistant.ts'
import type { Flow } from '#core/kernel/ports/store/assistant.ts'
import type { Action } from '@offhook/contract/assistant/actions.ts'
import type { AccountLanes } from '#core/kernel/webhook/account-lanes.ts'
import type { Listeners } from '#core/assistant/delivery/listeners/remote-listeners.ts'
import { type OutboundSockets, OutboundFailure, type OutboundHttp, type OutboundReply } from '#core/kernel/ports/outbound.ts'
import { eventHeaders, keyHeaders } from '#core/assistant/delivery/events/event-headers.ts'
import { afterTheEnd, isNote } from '#core/assistant/session/endpoint/session-timeline.ts'
import { maxReplyBytes, readEndpointReply, refusedReply } from '#core/assistant/delivery/replies/read-endpoint-reply.ts'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { Tracer } from '#core/kernel/trace/tracer.ts'
import { headersOf, attemptSpanId } from '#core/kernel/trace/tracer.ts'

/** A channel in which every event is a request, and the response has the actions. */
export class WebhookChannel implements EndpointChannel {
  readonly duplex = false
  readonly #deps: EndpointDeps
  readonly #flow: Flow
  readonly #observer: Pick<EndpointChannelObserver, 'repliedLate'>
  #isGone: boolean
  #closed = false

  constructor(deps: EndpointDeps, flow: Flow, observer: Pick<EndpointChannelObserver, 'repliedLate'>) {
    this.#deps = deps
    this.#flow = flow
    this.#observer = observer
    this.#isGone = flow.settings.disabledBecause !== undefined
  }

  send(event: OutgoingEvent, signal: AbortSignal): Promise<EndpointReply> {
    const delivery = new EventDelivery(signal)
    const reply = this.#ask(event, delivery)
    const notified = reply.then(
      (late) => {
        if (delivery.detached && !this.#closed) this.#observer.repliedLate(event, late)
      },
      () => {}, // the caller that awaits the reply gets the error; the log has it in any case
    )
    this.#deps.track(notified)
    return delivery.until(reply)
  }

  /** A webhook cannot carry sound. */
  sendSound(): void {}

  note(eventId: string, problems: readonly ActionProblem[], error?: string): void {
    this.#deps.log.amend(eventId, { actions: [], problems, error })
  }

  async close(): Promise<void> {
    this.#closed = true
  }

  async #ask(event: OutgoingEvent, delivery: EventDelivery): Promise<EndpointReply> {
    const url = event.body.type === 'session_start' ? this.#flow.settings.fallbackUrl : undefined
    const totalMs = totalMsOf(this.#flow)
    try {
      return await this.#askSomebody(event, delivery, url === undefined ? totalMs : Math.min(totalMs, beforeFallbackMs))
    } catch (error) {
      if (url === undefined || delivery.detached || this.#deps.closing.aborted || !(error instanceof EndpointUnavailable)) throw error
      const once = { channel: 'fallback', attempts: 1, attemptMs: attemptMsOf(this.#flow), totalMs, gone: () => {} } as const
      return deliverLive(this.#deps, this.#route(url, once, delivery), event, () => delivery.detached)
    }
  }

  /** A listener takes precedence over the webhook; if it disconnects in the meantime, the webhook is called. */
  async #askSomebody(event: OutgoingEvent, delivery: EventDelivery, totalMs: number): Promise<EndpointReply> {
    const until = this.#deps.clock.elapsed() + totalMs
    for (;;) {
      const listener = this.#deps.listeners.of(event.accountId, this.#flow.id)
      const leftMs = until - this.#deps.clock.elapsed()
      if (!listener) return this.#askWebhook(event, delivery, leftMs)
      try {
        return await this.#askListener(listener, event, delivery, leftMs)
      } catch (error) {
        if (!(error instanceof EndpointUnavailable) || !listener.over || delivery.detached || this.#deps.closing.aborted) throw error
      }
    }
  }

  #askListener(listener: Listener, event: OutgoingEvent, delivery: EventDelivery, totalMs: number): Promise<EndpointReply> {
    // Developers restart their assistants often: each call has its own breaker.
    const url = `listener:${listener.id}:${event.sessionId}`
    const rest = { channel: 'listener', attempts: 2, attemptMs: attemptMsOf(this.#flow), totalMs, gone: () => {} } as const
    return deliverLive(this.#deps, this.#route(url, rest, delivery, listener), event, () => delivery.detached)
  }

  async #askWebhook(event: OutgoingEvent, delivery: EventDelivery, totalMs: number): Promise<EndpointReply> {
    const { webhookUrl: url } = this.#flow.settings
    if (url === undefined || this.#isGone) {
      const message = url === undefined ? 'no webhook is set' : 'the endpoint is disabled until the flow is changed'
      beginEntry(this.#deps.log, () => this.#deps.clock.now(), { flowId: this.#flow.id, channel: 'webhook' }, event).omitted(message)
      throw new EndpointUnavailable(message)
    }
    const gone = (): void => {
      this.#isGone = true
      this.#deps.disable(event.accountId, this.#flow)
    }
    const limits = { attempts: 2, attemptMs: attemptMsOf(this.#flow), totalMs }
    return deliverLive(this.#deps, this.#route(url, { channel: 'webhook', ...limits, gone }, delivery), event, () => delivery.detached)
  }

  #route(url: string, rest: Omit<Route, 'flowId' | 'url' | 'attempt'>, delivery: EventDelivery, carrier?: Listener): Route {
    const flow = this.#flow
    const { channel } = rest
    const attempt: Route['attempt'] = (event, deadlineMs, number) => {
      delivery.retry()
      const tried = { channel, attempt: number }
      return postEvent(this.#deps, { flow, url, ...(carrier && { carrier }), event, deadlineMs, tried, onWire: delivery.wired })
    }
    return { flowId: flow.id, url, ...rest, attempt }
  }
}

/** Shared by all channels. */
export interface EndpointDeps extends WebhookDeps, DeliveryDeps {
  sockets: OutboundSockets
  /** Developers' machines that receive events instead of the endpoint. */
  listeners: Listeners
  /** For the outbox: a slow endpoint delays neither callers nor other accounts. */
  outboxLanes: AccountLanes
  /** The endpoint answered that it is gone for good. */
  disable(accountId: string, flow: Flow): void
  onMessage(event: OutgoingEvent, message: Buffer): void
  /** Messages of an endpoint after its session: only notes and results are kept. The event is the last one sent. */
  onAfterwards(flow: Flow, event: OutgoingEvent, actions: readonly Action[]): void
  /** The service waits for it when it stops. */
  track(work: Promise<unknown>): void
}

const defaultTotalMs = 15_000
/** Milliseconds that a new session waits for the webhook before the fallback address is asked. */
const beforeFallbackMs = 5_000

/** A caller hears fillers meanwhile, so a request is not given up before the flow's limit unless the flow says so. */
export const attemptMsOf = (flow: Flow): number => flow.settings.timeouts?.attemptMs ?? totalMsOf(flow)
export const totalMsOf = ({ settings: { timeouts } }: Flow): number =>
  timeouts?.totalMs ?? Math.max(defaultTotalMs, timeouts?.attemptMs ?? 0)

export interface WebhookDeps {
  outbound: OutboundHttp
  vault: Vault
  clock: Clock
  wallClock: Clock
  closing: AbortSignal
  tracer?: Tracer | undefined
}

export interface Post {
  flow: Flow
  /** An address of the flow: it gets the key. */
  url: string
  /** A listener instead of the address; it gets the key as well. */
  carrier?: Pick<Listener, 'request' | 'to'>
  event: OutgoingEvent
  deadlineMs: number
  /** Attempt and channel; default: the first over a webhook. */
  tried?: { channel: Way['channel']; attempt: number }
  onWire?: () => void
}

const first = { channel: 'webhook', attempt: 1 } as const

/** Sends one event to one address, once. */
export const postEvent = async (deps: WebhookDeps, post: Post): Promise<Attempt> => {
  const { outbound, vault, clock, wallClock, closing, tracer } = deps
  const { flow, url, carrier = outbound, event, deadlineMs, tried = first, onWire = () => {} } = post
  const { settings } = flow
  const body = JSON.stringify(event.body)
  const trace = headersOf(tracer, { callId: callIdOf(event.sessionId), trace: event.trace }, attemptSpanId(event.id, tried))
  const signing = { settings, vault, now: clock.now(), signedAt: wallClock.now(), trace }
  const headers = { ...eventHeaders(event, body, signing), ...keyHeaders(settings, vault) }
  const requestBytes = Buffer.byteLength(body)
  const at = post.carrier ? post.carrier.to : url
  const exchange = { ...(at !== undefined && { url: at }), request: { headers, body } }
  try {
    const request = { method: 'POST', url, headers, body, deadlineMs, maxBytes: maxReplyBytes, signal: closing, onWire } as const
    const response = await carrier.request(request)
    const reply = replyIn(response, event)
    const outcome = { status: response.status, retryAfter: response.headers['retry-after'], refused: reply.refused }
    return { outcome, reply, requestBytes, replyBytes: response.body.length, exchange: { ...exchange, response } }
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    const problems = error.kind === 'too_large' ? [{ index: -1, message: error.message }] : []
    return { outcome: { failure: error }, reply: { actions: [], problems }, requestBytes, replyBytes: 0, exchange }
  }
}

const replyIn = (response: OutboundReply, event: OutgoingEvent): EndpointReply => {
  const reply = readReply(response, event.sessionId)
  if (event.body.type !== 'session_end') return reply
  // No caller waits for this answer: whatever its content, the event was accepted.
  const notes = reply.actions.filter(isNote)
  const over = { index: 0, message: afterTheEnd }
  return { actions: notes, problems: reply.actions.length === notes.length ? reply.problems : [...reply.problems, over] }
}

const readReply = (response: OutboundReply, sessionId: string): EndpointReply => {
  const outcome = { status: response.status }
  if (verdictOn(outcome) !== 'replied') return { actions: [], problems: [{ index: -1, message: outcomeText(outcome) }] }
  if (!['', 'identity'].includes(response.headers['content-encoding'] ?? ''))
    return refusedReply('the answer is compressed, which was not asked for')
  return readEndpointReply(response.body, sessionId)
}
