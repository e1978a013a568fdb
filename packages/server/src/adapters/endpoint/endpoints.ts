import { AccountLanes } from '#core/kernel/webhook/account-lanes.ts'
import { CircuitBreakers } from '#core/assistant/delivery/attempts/circuit-breaker.ts'
import { DeliveryLog, type OnDelivered } from '#core/assistant/delivery/attempts/delivery-log.ts'
import { disableEndpoint } from '#core/assistant/delivery/events/disable-endpoint.ts'
import type { Listeners } from '#core/assistant/delivery/listeners/listeners.ts'
import type { Bus } from '#core/kernel/ports/bus.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import {
  EndpointUnavailable,
  type EndpointChannel,
  type EndpointChannelObserver,
  type DeliveryTry,
  type Endpoints,
  type NamedSession,
  type OutgoingEvent,
} from '#core/kernel/ports/assistant/endpoint.ts'
import type { OutboundHttp } from '#core/kernel/ports/outbound-http.ts'
import type { OutboundSockets } from '#core/kernel/ports/outbound-sockets.ts'
import type { Flow } from '#core/kernel/ports/store/assistant/flows.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { Tracer } from '#core/kernel/trace/tracer.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import { deliverOnce } from './deliver-once.ts'
import type { EndpointDeps } from './endpoint-parts.ts'
import { WebSocketChannel } from './websocket-channel.ts'
import { WebhookChannel } from './webhook-channel.ts'

export interface OpenEndpointsDeps {
  store: Store
  clock: Clock
  /** Never put forward. */
  wallClock: Clock
  vault: Vault
  outbound: OutboundHttp
  sockets: OutboundSockets
  listeners: Listeners
  /** What one process finds out about an endpoint holds for all. */
  bus?: Bus
  tracer?: Tracer | undefined
  /** 0 to 1. */
  random: () => number
  onError: (error: unknown) => void
  /** Counts attempts, and keeps what went over the wire. */
  onDelivered?: OnDelivered
  /** The endpoint said something over its WebSocket; the event is the last that was sent before. */
  onMessage?: (event: OutgoingEvent, message: Buffer) => void
  onAfterwards?: EndpointDeps['onAfterwards']
}

/** The endpoints of all accounts. */
export const openEndpoints = (deps: OpenEndpointsDeps): CustomerEndpoints => new CustomerEndpoints(deps)

/** Of one account; together well below what the outbox does at once. */
const outboxLimits = { concurrency: 32, waiting: 64 }

/** The session is over: what the endpoint still sends is ignored. */
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
    const isHeard = this.#deps.listeners.of(session.accountId, flow.id) !== undefined // in the form of a webhook, whatever the flow has
    if (url === undefined || disabledBecause !== undefined || isHeard || this.#closing.signal.aborted)
      return new WebhookChannel(this.#deps, flow, observer)
    return this.#openSocket(flow, url, session, observer)
  }

  async deliver(flow: Flow, event: OutgoingEvent, which: DeliveryTry): Promise<void> {
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

  /** How many endpoints are not asked for a while. */
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
