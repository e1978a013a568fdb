import { beginEntry, endEntry, outcomeText } from '#core/assistant/delivery/attempts/attempt.ts'
import { reportTo } from '#core/assistant/delivery/events/deliver-live.ts'
import type { Listener } from '#core/assistant/delivery/listeners/listener-messages.ts'
import { verdictOn } from '#core/assistant/delivery/attempts/retry-policy.ts'
import {
  EndpointBusy,
  EndpointGone,
  EndpointUnavailable,
  type DeliveryTry,
  type OutgoingEvent,
} from '#core/kernel/ports/assistant/endpoint.ts'
import type { Flow } from '#core/kernel/ports/store/assistant/flows.ts'
import type { EndpointDeps } from './endpoint-parts.ts'
import { postEvent } from './webhook.ts'
import type { WebSocketChannel } from './websocket-channel.ts'

/** Longer than in a call, because no caller waits for it. */
const deadlineMs = 15_000
/** How long to wait for other deliveries of the same account before the outbox tries again later. */
const laneWaitMs = 1_000

export interface OutboxDelivery {
  flow: Flow
  event: OutgoingEvent
  which: DeliveryTry
  /** The connection that the session still has. */
  live: WebSocketChannel | undefined
  openSocket: (url: string) => WebSocketChannel
}

/**
 * Delivers an event from the outbox: over the session's WebSocket while there is one, else to a listener, else by webhook, else over a
 * WebSocket of its own.
 */
export const deliverOnce = async (deps: EndpointDeps, delivery: OutboxDelivery): Promise<void> => {
  const leave = await deps.outboxLanes.enter(delivery.event.accountId, laneWaitMs).catch((error: Error) => {
    throw new EndpointBusy(error.message)
  })
  await notify(deps, delivery).finally(leave)
}

const notify = async (deps: EndpointDeps, delivery: OutboxDelivery): Promise<void> => {
  const { flow, event, which, live, openSocket } = delivery
  const { webhookUrl, websocketUrl, disabledBecause } = flow.settings
  if (live) return live.sendEnd(event, which, deadlineMs)
  const listener = deps.listeners.of(event.accountId, flow.id)
  if (listener) return postOnce(deps, delivery, `listener:${listener.id}`, listener)
  if (disabledBecause !== undefined) throw refusal(deps, delivery, `the endpoint is disabled: ${disabledBecause}`)
  if (webhookUrl !== undefined) return postOnce(deps, delivery, webhookUrl)
  if (websocketUrl === undefined) throw refusal(deps, delivery, 'no endpoint is set')
  return openSocket(websocketUrl).sendEnd(event, which, deadlineMs)
}

const refusal = ({ log, clock }: EndpointDeps, { flow, event }: OutboxDelivery, message: string): EndpointGone => {
  beginEntry(log, () => clock.now(), { flowId: flow.id, channel: 'webhook' }, event).omitted(message, 'dead')
  return new EndpointGone(message)
}

/** Ignores the circuit breaker: the schedule of the outbox limits the attempts already. */
const postOnce = async (deps: EndpointDeps, { flow, event, which }: OutboxDelivery, url: string, listener?: Listener): Promise<void> => {
  const { log, clock, breakers } = deps
  const channel = listener ? 'listener' : 'webhook'
  const entry = beginEntry(log, () => clock.now(), { flowId: flow.id, channel }, event)
  const post = { flow, url, ...(listener && { carrier: listener }), event, deadlineMs, tried: { channel, attempt: which.attempt } } as const
  const tried = await postEvent(deps, post).catch((error: unknown) => {
    entry.omitted('the event could not be prepared', which.last ? 'dead' : 'failed')
    throw error
  })
  reportTo(breakers.of(event.accountId, url), tried.outcome)
  const verdict = verdictOn(tried.outcome)
  const isGone = verdict === 'gone' && !listener // what a developer's machine says ends nothing for good
  const isDead = isGone || which.last
  endEntry(entry, which.attempt, verdict === 'replied' ? 'delivered' : isDead ? 'dead' : 'failed', tried)
  if (verdict === 'replied') return deps.onAfterwards(flow, event, tried.reply.actions)
  if (!isGone) throw new EndpointUnavailable(outcomeText(tried.outcome))
  deps.disable(event.accountId, flow)
  throw new EndpointGone(outcomeText(tried.outcome))
}
