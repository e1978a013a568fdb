import type { TrialChannel } from '@offhook/contract/v3/trials.ts'
import type { EndpointReply, OutgoingEvent, Exchange } from './endpoint.ts'
import type { Flow } from '../store/assistant/flows.ts'

/** What went to an endpoint and what came back. */
export interface EndpointTrial {
  durationMs: number
  exchange: Exchange
  reply: EndpointReply
  /** Why there was no answer that counts. */
  error: string | undefined
}

/** Asks an endpoint once, outside of any call: no second attempt, no breaker, no log. */
export interface EndpointTrials {
  /** The flow must have such a way. */
  run(flow: Flow, event: OutgoingEvent, channel: TrialChannel): Promise<EndpointTrial>
}
