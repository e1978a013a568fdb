import { whatHappened } from '../../core/delivery/attempt.ts'
import type { Listeners } from '../../core/delivery/listeners.ts'
import { verdictOn } from '../../core/delivery/retry-policy.ts'
import type { OutgoingEvent } from '../../core/ports/endpoint.ts'
import type { EndpointTrial, EndpointTrials } from '../../core/ports/endpoint-trials.ts'
import { OutboundFailure, type OutboundHttp, type OutboundReply, type OutboundRequest } from '../../core/ports/outbound-http.ts'
import type { OutboundSockets } from '../../core/ports/outbound-sockets.ts'
import type { Flow } from '../../core/ports/store/flows.ts'
import { attemptMsOf } from './parts.ts'
import { trySocket } from './socket-trial.ts'
import { postEvent, type WebhookParts } from './webhook.ts'

export interface TrialsParts extends Omit<WebhookParts, 'closing'> {
  sockets: OutboundSockets
  listeners: Listeners
}

const never = new AbortController().signal

export const endpointTrials = (parts: TrialsParts): EndpointTrials => ({
  run(flow, event, channel) {
    const { webhookUrl = '', websocketUrl = '', fallbackUrl = '' } = flow.settings
    if (channel === 'websocket') return trySocket(parts, { flow, url: websocketUrl, event, deadlineMs: attemptMsOf(flow) })
    if (channel === 'listener') return tryListener(parts, flow, event)
    return tryPost(parts, { flow, event, url: channel === 'webhook' ? webhookUrl : fallbackUrl, carrier: parts.outbound })
  },
})

interface PostTrial {
  flow: Flow
  event: OutgoingEvent
  url: string
  carrier: Pick<OutboundHttp, 'request'>
}

const tryListener = async (parts: TrialsParts, flow: Flow, event: OutgoingEvent): Promise<EndpointTrial> => {
  const listener = parts.listeners.of(event.accountId, flow.id)
  const carrier = listener ?? { request: () => Promise.reject(new OutboundFailure('connect', 'nobody listens any more')) }
  return { ...(await tryPost(parts, { flow, event, url: '', carrier })), url: listener?.to }
}

/** The very request of a call, with somebody who looks on. */
const tryPost = async (parts: TrialsParts, { flow, event, url, carrier }: PostTrial): Promise<EndpointTrial> => {
  let wanted: OutboundRequest | undefined
  let reply: OutboundReply | undefined
  const watched = {
    async request(request: OutboundRequest): Promise<OutboundReply> {
      wanted = request
      return (reply = await carrier.request(request))
    },
  }
  const began = parts.wallClock.now()
  const post = { flow, url, carrier: watched, event, deadlineMs: attemptMsOf(flow) }
  const { outcome, answer } = await postEvent({ ...parts, closing: never }, post)
  return {
    url,
    durationMs: parts.wallClock.now() - began,
    request: { headers: wanted?.headers ?? {}, body: wanted?.body ?? '' },
    response: reply,
    answer,
    error: verdictOn(outcome) === 'answered' ? undefined : whatHappened(outcome),
  }
}
