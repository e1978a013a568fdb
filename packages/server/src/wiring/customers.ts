import { withDemoAssistant } from '#adapters/demo-door.ts'
import { openEndpoints } from '#adapters/endpoint/endpoints.ts'
import { endpointTrials } from '#adapters/endpoint/trials.ts'
import type { Settings } from '#settings/config.ts'
import { Listeners } from '#core/assistant/delivery/listeners/listeners.ts'
import { OthersListeners } from '#core/assistant/delivery/listeners/others-listeners.ts'
import type { Endpoints } from '#core/kernel/ports/assistant/endpoint.ts'
import type { EndpointTrials } from '#core/kernel/ports/assistant/endpoint-trials.ts'
import { attemptOf, messageOf } from '#core/telephone/timeline/exchange.ts'
import type { LiveTimelines } from '#core/telephone/timeline/live-timelines.ts'
import type { Ground, Open } from './ground.ts'

export type OpenedEndpoints = Endpoints & { close?(): Promise<void> }

/** Customers' own software; the assistant of the demo is one, too. */
export interface Customers {
  endpoints: OpenedEndpoints
  /** Who takes events instead of an endpoint. */
  listeners: Listeners
  trials: EndpointTrials
}

export interface CustomersParts {
  settings: Settings
  replaced: { endpoints?: OpenedEndpoints }
  ground: Ground
  open: Open
  listening: () => string
}

/** The endpoints are closed by whoever opens what delivers to them. */
export const openCustomers = ({ settings, replaced, ground, open, listening }: CustomersParts, timelines: LiveTimelines): Customers => {
  const { callClock: clock, log, measurements } = ground
  const listeners = new Listeners(othersListeners(ground))
  const outbound = settings.OFFHOOK_DEMO ? open(withDemoAssistant(ground.outbound, listening)) : ground.outbound
  const ways = { ...ground, clock, outbound, listeners }
  const endpoints =
    replaced.endpoints ??
    openEndpoints({
      ...ways,
      random: Math.random,
      onError: (error) => log('delivery_log_failed', { err: error }),
      onDelivered: (delivery, exchange) => {
        measurements.delivered(delivery)
        timelines.note(delivery.accountId, delivery.sessionId, attemptOf(delivery, exchange))
      },
      onMessage: ({ accountId, sessionId, id }, message) => timelines.note(accountId, sessionId, messageOf(id, message)),
    })
  return { endpoints, listeners, trials: endpointTrials(ways) }
}

const othersListeners = ({ intercom, wallClock: clock, log }: Ground): OthersListeners | undefined => {
  const onError = (error: unknown): void => log('listener_lookup_failed', { err: error })
  return intercom && new OthersListeners({ intercom, clock, onError })
}
