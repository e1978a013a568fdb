import { beginEntry } from '../../core/delivery/attempt.ts'
import { deliverLive, type Route } from '../../core/delivery/deliver-live.ts'
import { Journey } from '../../core/delivery/journey.ts'
import {
  EndpointUnavailable,
  type ActionProblem,
  type Answer,
  type Conversation,
  type ConversationObserver,
  type OutgoingEvent,
} from '../../core/ports/endpoint.ts'
import type { Flow } from '../../core/ports/store/flows.ts'
import { attemptMsOf, totalMsOf, type EndpointParts } from './parts.ts'
import { postEvent } from './webhook.ts'

/** A conversation in which every event is a request, and its answer says what to do. */
export class WebhookConversation implements Conversation {
  readonly duplex = false
  readonly #parts: EndpointParts
  readonly #flow: Flow
  readonly #observer: Pick<ConversationObserver, 'answeredLate'>
  #isGone: boolean
  #closed = false

  constructor(parts: EndpointParts, flow: Flow, observer: Pick<ConversationObserver, 'answeredLate'>) {
    this.#parts = parts
    this.#flow = flow
    this.#observer = observer
    this.#isGone = flow.settings.disabledBecause !== undefined
  }

  send(event: OutgoingEvent, signal: AbortSignal): Promise<Answer> {
    const journey = new Journey(signal)
    const answer = this.#ask(event, journey)
    const told = answer.then(
      (late) => {
        if (journey.detached && !this.#closed) this.#observer.answeredLate(event, late)
      },
      () => {}, // whoever still waits is told; the log is in any case
    )
    this.#parts.track(told)
    return journey.until(answer)
  }

  note(eventId: string, problems: readonly ActionProblem[]): void {
    this.#parts.log.amend(eventId, { actions: [], problems })
  }

  async close(): Promise<void> {
    this.#closed = true
  }

  async #ask(event: OutgoingEvent, journey: Journey): Promise<Answer> {
    try {
      return await this.#askWebhook(event, journey)
    } catch (error) {
      const url = this.#flow.settings.fallbackUrl
      const isLastHope = url !== undefined && event.body.type === 'session_start' && !journey.detached && !this.#parts.closing.aborted
      if (!isLastHope || !(error instanceof EndpointUnavailable)) throw error
      const attemptMs = attemptMsOf(this.#flow)
      const once = { channel: 'fallback', attempts: 1, attemptMs, totalMs: attemptMs, gone: () => {} } as const
      return deliverLive(this.#parts, this.#route(url, once, journey), event, () => journey.detached)
    }
  }

  async #askWebhook(event: OutgoingEvent, journey: Journey): Promise<Answer> {
    const { webhookUrl: url } = this.#flow.settings
    if (url === undefined || this.#isGone) {
      const message = url === undefined ? 'no webhook is set' : 'the endpoint is disabled until the flow is changed'
      beginEntry(this.#parts.log, () => this.#parts.clock.now(), { flowId: this.#flow.id, channel: 'webhook' }, event).omitted(message)
      throw new EndpointUnavailable(message)
    }
    const gone = (): void => {
      this.#isGone = true
      this.#parts.disable(event.accountId, this.#flow)
    }
    const patience = { attempts: 2, attemptMs: attemptMsOf(this.#flow), totalMs: totalMsOf(this.#flow) }
    return deliverLive(this.#parts, this.#route(url, { channel: 'webhook', ...patience, gone }, journey), event, () => journey.detached)
  }

  #route(url: string, rest: Pick<Route, 'channel' | 'attempts' | 'attemptMs' | 'totalMs' | 'gone'>, journey: Journey): Route {
    const flow = this.#flow
    const attempt: Route['attempt'] = (event, deadlineMs) => {
      journey.tryAgain()
      return postEvent(this.#parts, { flow, url, event, deadlineMs, onWire: journey.wired })
    }
    return { flowId: flow.id, url, ...rest, attempt }
  }
}
