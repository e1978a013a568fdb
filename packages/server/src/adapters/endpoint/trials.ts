import { whatHappened } from '#core/assistant/delivery/attempts/attempt.ts'
import type { Listeners } from '#core/assistant/delivery/listeners/listeners.ts'
import { verdictOn } from '#core/assistant/delivery/attempts/retry-policy.ts'
import type { EndpointTrial, EndpointTrials } from '#core/kernel/ports/assistant/endpoint-trials.ts'
import { OutboundFailure } from '#core/kernel/ports/outbound-http.ts'
import type { OutboundSockets } from '#core/kernel/ports/outbound-sockets.ts'
import { attemptMsOf } from './endpoint-parts.ts'
import { trySocket } from './socket-trial.ts'
import { postEvent, type Post, type WebhookParts } from './webhook.ts'

export interface TrialsParts extends Omit<WebhookParts, 'closing'> {
  sockets: OutboundSockets
  listeners: Listeners
}

const never = new AbortController().signal

export const endpointTrials = (parts: TrialsParts): EndpointTrials => ({
  run(flow, event, channel) {
    const { webhookUrl = '', websocketUrl = '', fallbackUrl = '' } = flow.settings
    const deadlineMs = attemptMsOf(flow)
    if (channel === 'websocket') return trySocket(parts, { flow, url: websocketUrl, event, deadlineMs })
    if (channel === 'webhook') return tryPost(parts, { flow, url: webhookUrl, event, deadlineMs })
    if (channel === 'fallback') return tryPost(parts, { flow, url: fallbackUrl, event, deadlineMs })
    return tryPost(parts, { flow, url: '', carrier: parts.listeners.of(event.accountId, flow.id) ?? nobody, event, deadlineMs })
  },
})

/** The listener went away a moment ago. */
const nobody = { to: undefined, request: () => Promise.reject(new OutboundFailure('connect', 'nobody listens any more')) }

/** The same request as in a call. */
const tryPost = async (parts: TrialsParts, post: Post): Promise<EndpointTrial> => {
  const began = parts.wallClock.elapsed()
  const { outcome, reply, exchange } = await postEvent({ ...parts, closing: never }, post)
  const error = verdictOn(outcome) === 'replied' ? undefined : whatHappened(outcome)
  return { durationMs: parts.wallClock.elapsed() - began, exchange: exchange ?? { request: { headers: {}, body: '' } }, reply, error }
}
