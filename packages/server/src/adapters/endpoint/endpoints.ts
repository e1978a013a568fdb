import { AccountLanes } from '#core/kernel/webhook/account-lanes.ts'
import { CircuitBreakers } from '#core/assistant/delivery/attempts/circuit-breaker.ts'
import { DeliveryLog, type OnDelivered, beginEntry, endEntry, outcomeText, verdictOn } from '#core/assistant/delivery/attempts/attempt.ts'
import { disableEndpoint } from '#core/assistant/delivery/events/redeliver.ts'
import type { Listeners } from '#core/assistant/delivery/listeners/remote-listeners.ts'
import type { Bus, Clock, Vault } from '#core/kernel/ports/platform.ts'
import {
  EndpointUnavailable,
  type EndpointChannel,
  type EndpointChannelObserver,
  type DeliveryTry,
  type Endpoints,
  type NamedSession,
  type OutgoingEvent,
  EndpointBusy,
  EndpointGone,
} from '#core/kernel/ports/assistant.ts'
import type { OutboundHttp, OutboundSockets } from '#core/kernel/ports/outbound.ts'
import type { Flow } from '#core/kernel/ports/store/assistant.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { Tracer } from '#core/kernel/trace/tracer.ts'
import { type EndpointDeps, WebhookChannel, postEvent } from './webhook-channel.ts'
import { WebSocketChannel } from './websocket-channel.ts'
import { reportTo } from '#core/assistant/delivery/events/deliver-live.ts'
import type { Listener } from '#core/assistant/delivery/listeners/relay.ts'

interface OpenEndpointsDeps {
  store: Store
  clock: Clock
  /** Never advanced. */
  wallClock: Clock
  vault: Vault
  outbound: OutboundHttp
  sockets: OutboundSockets
  listeners: Listeners
  /** Shares the state of an endpoint with all processes. */
  bus?: Bus
  tracer?: Tracer | undefined
  /** 0 to 1. */
  random: () => number
  onError: (error: unknown) => void
  /** Counts attempts, and stores the messages on the wire. */
  onDelivered?: OnDelivered
  /** A message of the endpoint over its WebSocket; the event is the last one sent before. */
  onMessage?: (event: OutgoingEvent, message: Buffer) => void
  onAfterwards?: EndpointDeps['onAfterwards']
  silence?: () => Promise<void> | undefined
}

/** The endpoints of all accounts. */
export const openEndpoints = (deps: OpenEndpointsDeps): CustomerEndpoints => new CustomerEndpoints(deps)

/** Per account; well below the outbox's total concurrency. */
const outboxLimits = { concurrency: 32, waiting: 64 }

/** The session has ended: later messages of the endpoint are ignored. */
const deaf: EndpointChannelObserver = { acts() {}, repliedLate() {}, sounds() {}, lost() {} }

class CustomerEndpoints implements Endpoints {
  readonly #log: DeliveryLog
  readonly #deps: EndpointDeps
  readonly #closing = new AbortController()
  readonly #underWay = new Set<Promise<unknown>>()
  /** By session. */
  readonly #sockets = new Map<string, WebSocketChannel>()

  constructor(deps: OpenEndpointsDeps) {
    const { store, bus, onError, onDelivered, onMessage = () => {}, onAfterwards = () => {}, ...given } = deps
    const { clock } = given
    this.#log = new DeliveryLog({ store, clock, onError, onDelivered })
    const disable = (accountId: string, { id }: Flow): void => {
      const disabled = store.write((tables) => disableEndpoint(tables, clock, accountId, id))
      this.#track(disabled.catch(onError))
    }
    const outboxLanes = new AccountLanes(clock, outboxLimits)
    const limits = { breakers: new CircuitBreakers(clock, bus), lanes: new AccountLanes(clock), outboxLanes }
    const track = (work: Promise<unknown>): void => this.#track(work)
    this.#deps = {
      ...given,
      ...limits,
      log: this.#log,
      closing: this.#closing.signal,
      disable,
      track,
      onMessage,
      onAfterwards,
    }
  }

  open(flow: Flow, session: NamedSession, observer: EndpointChannelObserver): EndpointChannel {
    const { websocketUrl: url, disabledBecause } = flow.settings
    const isHeard = this.#deps.listeners.of(session.accountId, flow.id) !== undefined // in the form of a webhook, whatever the flow's endpoint is
    if (url === undefined || disabledBecause !== undefined || isHeard || this.#closing.signal.aborted)
      return new WebhookChannel(this.#deps, flow, observer)
    return this.#openSocket(flow, url, session, observer)
  }

  async deliver(flow: Flow, event: OutgoingEvent, which: DeliveryTry): Promise<void> {
    await this.#deps.silence?.()
    if (this.#closing.signal.aborted) throw new EndpointUnavailable('the service stops')
    const session = { id: event.sessionId, accountId: event.accountId, trace: event.trace }
    const openSocket = (url: string): WebSocketChannel => this.#openSocket(flow, url, session, deaf)
    await deliverOnce(this.#deps, { flow, event, which, live: this.#sockets.get(session.id), openSocket })
  }

  #openSocket(flow: Flow, url: string, session: NamedSession, observer: EndpointChannelObserver): WebSocketChannel {
    const onOver = (): void => {
      if (this.#sockets.get(session.id) === channel) this.#sockets.delete(session.id)
    }
    const channel = new WebSocketChannel(this.#deps, { flow, url, session, onOver }, observer)
    this.#sockets.set(session.id, channel)
    return channel
  }

  /** Number of open circuit breakers. */
  get openBreakers(): number {
    return this.#deps.breakers.open
  }

  async flush(): Promise<void> {
    await this.#log.flush()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    for (const channel of this.#sockets.values()) channel.destroy('the service stops')
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay)
    this.#deps.breakers.close()
    await this.#log.close()
  }

  #track(work: Promise<unknown>): void {
    this.#underWay.add(work)
    const done = (): unknown => this.#underWay.delete(work)
    work.then(done, done)
  }
}

/** Longer than in a call, because no caller waits for it. */
const deadlineMs = 15_000
/** Milliseconds to wait for other deliveries of the same account before the outbox retries later. */
const laneWaitMs = 1_000

interface OutboxDelivery {
  flow: Flow
  event: OutgoingEvent
  which: DeliveryTry
  /** The session's open connection, if any. */
  live: WebSocketChannel | undefined
  openSocket: (url: string) => WebSocketChannel
}

/**
 * Delivers an event from the outbox: over the session's WebSocket if open, otherwise to a listener, by webhook, or over a separate
 * WebSocket.
 */
const deliverOnce = async (deps: EndpointDeps, delivery: OutboxDelivery): Promise<void> => {
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

/** Ignores the circuit breaker: the outbox schedule already limits the attempts. */
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
  const isGone = verdict === 'gone' && !listener // a developer's machine cannot disable the endpoint
  const isDead = isGone || which.last
  endEntry(entry, which.attempt, verdict === 'replied' ? 'delivered' : isDead ? 'dead' : 'failed', tried)
  if (verdict === 'replied') return deps.onAfterwards(flow, event, tried.reply.actions)
  if (!isGone) throw new EndpointUnavailable(outcomeText(tried.outcome))
  deps.disable(event.accountId, flow)
  throw new EndpointGone(outcomeText(tried.outcome))
}
