import { withDemoAssistant } from '#adapters/demo-outbound.ts'
import { openEndpoints } from '#adapters/endpoint/endpoints.ts'
import { withGateways } from '#adapters/gateways/gateway-sockets.ts'
import { endpointTrials } from '#adapters/endpoint/trials.ts'
import { reportAttempt } from '#core/assistant/delivery/attempts/delivery-span.ts'
import { Listeners } from '#core/assistant/delivery/listeners/listeners.ts'
import { RemoteListeners } from '#core/assistant/delivery/listeners/remote-listeners.ts'
import { keepAfterwards } from '#core/assistant/session/endpoint/keep-afterwards.ts'
import type { OnResult } from '#core/assistant/session/endpoint/session-notes.ts'
import type { Endpoints } from '#core/kernel/ports/assistant/endpoint.ts'
import type { EndpointTrials } from '#core/kernel/ports/assistant/endpoint-trials.ts'
import { attemptOf, messageOf } from '#core/telephone/timeline/exchange.ts'
import type { LiveTimelines } from '#core/telephone/timeline/live-timelines.ts'
import { openAgent, type OpenAgentDeps, type OpenedAgent } from './agent/open-agent.ts'
import type { Platform } from './platform.ts'
import type { RestAddress } from './listening/rest-address.ts'

export type OpenedEndpoints = Endpoints & { close?(): Promise<void>; readonly openBreakers?: number }

/** Customers' own software; the demo's assistant and those that are written here are reached the same way. */
export interface Customers extends Omit<OpenedAgent, 'sockets'> {
  endpoints: OpenedEndpoints
  /** Developers' machines that take the events of a flow instead of its endpoint. */
  listeners: Listeners
  trials: EndpointTrials
}

export interface CustomersDeps extends OpenAgentDeps {
  replaced: { endpoints?: OpenedEndpoints }
  address: RestAddress
  timelines: LiveTimelines
  onResult: OnResult
  /** This process among others. */
  self: string
}

/** The endpoints are closed by the caller, before the workers that deliver to them. */
export const openCustomers = (deps: CustomersDeps): Customers => {
  const { settings, replaced, platform, open, address, timelines, onResult, self } = deps
  const { callClock: clock, log, measurements, tracer } = platform
  const others = othersListeners(platform, self)
  if (others) open(others)
  const listeners = new Listeners(others)
  const outbound = settings.OFFHOOK_DEMO ? open(withDemoAssistant(platform.outbound, address.listening)) : platform.outbound
  const { sockets: ownAndCustomers, ...agent } = openAgent(deps)
  const sockets = open(withGateways(ownAndCustomers, { clock, outbound: platform.outbound }))
  const ways = { ...platform, clock, outbound, sockets, listeners }
  const endpoints =
    replaced.endpoints ??
    openEndpoints({
      ...ways,
      random: Math.random,
      onError: (error) => log('delivery_log_failed', { err: error }),
      onDelivered: (delivery, exchange, event) => {
        measurements.delivered(delivery)
        if (tracer) reportAttempt(tracer, delivery, exchange, event)
        timelines.note(delivery.accountId, delivery.sessionId, attemptOf(delivery, exchange))
      },
      onMessage: ({ accountId, sessionId, id }, message) => timelines.note(accountId, sessionId, messageOf(id, message)),
      onAfterwards: keepAfterwards({ timelines, onResult }),
    })
  platform.metrics.add(() => [{ name: 'offhook_endpoint_breakers_open', value: endpoints.openBreakers ?? 0 }])
  return { ...agent, endpoints, listeners, trials: endpointTrials(ways) }
}

/** A process on its own has all listeners. */
const othersListeners = ({ bus, wallClock: clock, log }: Platform, self: string): RemoteListeners | undefined => {
  const onError = (error: unknown): void => log('listener_lookup_failed', { err: error })
  return bus.alone ? undefined : new RemoteListeners({ bus, self, clock, onError })
}
