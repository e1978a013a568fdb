import type { ActionProblem } from '#core/kernel/ports/store/assistant/deliveries.ts'
import { beginEntry } from '#core/assistant/delivery/attempts/attempt.ts'
import { deliverLive, type Route } from '#core/assistant/delivery/events/deliver-live.ts'
import { EventDelivery } from '#core/assistant/delivery/events/event-delivery.ts'
import type { Listener } from '#core/assistant/delivery/listeners/listener-messages.ts'
import {
  EndpointUnavailable,
  type EndpointReply,
  type EndpointChannel,
  type EndpointChannelObserver,
  type OutgoingEvent,
} from '#core/kernel/ports/assistant/endpoint.ts'
import type { Flow } from '#core/kernel/ports/store/assistant/flows.ts'
import { attemptMsOf, totalMsOf, type EndpointDeps } from './endpoint-parts.ts'
import { postEvent } from './webhook.ts'

/** A channel in which every event is a request, and the response says what to do. */
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
      () => {}, // whoever awaits the reply gets the error; the log has it in any case
    )
    this.#deps.track(notified)
    return delivery.until(reply)
  }

  /** There is no way for it. */
  sendSound(): void {}

  note(eventId: string, problems: readonly ActionProblem[], error?: string): void {
    this.#deps.log.amend(eventId, { actions: [], problems, error })
  }

  async close(): Promise<void> {
    this.#closed = true
  }

  async #ask(event: OutgoingEvent, delivery: EventDelivery): Promise<EndpointReply> {
    try {
      return await this.#askSomebody(event, delivery)
    } catch (error) {
      const url = this.#flow.settings.fallbackUrl
      const isLastHope = url !== undefined && event.body.type === 'session_start' && !delivery.detached && !this.#deps.closing.aborted
      if (!isLastHope || !(error instanceof EndpointUnavailable)) throw error
      const attemptMs = attemptMsOf(this.#flow)
      const once = { channel: 'fallback', attempts: 1, attemptMs, totalMs: attemptMs, gone: () => {} } as const
      return deliverLive(this.#deps, this.#route(url, once, delivery), event, () => delivery.detached)
    }
  }

  /** A listener is asked before the webhook; when it goes away meanwhile, the webhook is asked. */
  async #askSomebody(event: OutgoingEvent, delivery: EventDelivery): Promise<EndpointReply> {
    const until = this.#deps.clock.elapsed() + totalMsOf(this.#flow)
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
    // Developers restart their assistants often: each call has a breaker of its own.
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
