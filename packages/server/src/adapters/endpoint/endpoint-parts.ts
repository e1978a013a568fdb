import type { Action } from '@offhook/contract/assistant/actions.ts'
import type { AccountLanes } from '#core/kernel/webhook/account-lanes.ts'
import type { Listeners } from '#core/assistant/delivery/listeners/listeners.ts'
import type { DeliveryDeps } from '#core/assistant/delivery/events/deliver-live.ts'
import type { OutgoingEvent } from '#core/kernel/ports/assistant/endpoint.ts'
import type { OutboundSockets } from '#core/kernel/ports/outbound-sockets.ts'
import type { Flow } from '#core/kernel/ports/store/assistant/flows.ts'
import type { WebhookDeps } from './webhook.ts'

/** What every channel uses. */
export interface EndpointDeps extends WebhookDeps, DeliveryDeps {
  sockets: OutboundSockets
  /** Developers' machines that take events instead of the endpoint. */
  listeners: Listeners
  /** For the outbox: an endpoint that keeps it waiting holds up neither callers nor other accounts. */
  outboxLanes: AccountLanes
  /** The endpoint said that it is gone for good. */
  disable(accountId: string, flow: Flow): void
  onMessage(event: OutgoingEvent, message: Buffer): void
  /** What an endpoint says of a session that is over: only notes and results are kept. The event is the last that it was sent. */
  onAfterwards(flow: Flow, event: OutgoingEvent, actions: readonly Action[]): void
  /** Waited for when the service stops. */
  track(work: Promise<unknown>): void
}

export const attemptMsOf = ({ settings }: Flow): number => settings.timeouts?.attemptMs ?? 5_000
export const totalMsOf = ({ settings }: Flow): number => settings.timeouts?.totalMs ?? 8_000
