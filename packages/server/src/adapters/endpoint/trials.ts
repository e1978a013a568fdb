import { outcomeText } from '#core/assistant/delivery/attempts/attempt.ts'
import type { Listeners } from '#core/assistant/delivery/listeners/listeners.ts'
import { verdictOn } from '#core/assistant/delivery/attempts/retry-policy.ts'
import type { EndpointTrial, EndpointTrials } from '#core/kernel/ports/assistant/endpoint-trials.ts'
import { OutboundFailure } from '#core/kernel/ports/outbound-http.ts'
import type { OutboundSockets } from '#core/kernel/ports/outbound-sockets.ts'
import { attemptMsOf } from './endpoint-parts.ts'
import { trySocket } from './socket-trial.ts'
import { postEvent, type Post, type WebhookDeps } from './webhook.ts'

export interface TrialsDeps extends Omit<WebhookDeps, 'closing'> {
  sockets: OutboundSockets
  listeners: Listeners
}

const never = new AbortController().signal

export const endpointTrials = (deps: TrialsDeps): EndpointTrials => ({
  run(flow, event, channel) {
    const { webhookUrl = '', websocketUrl = '', fallbackUrl = '' } = flow.settings
    const deadlineMs = attemptMsOf(flow)
    if (channel === 'websocket') return trySocket(deps, { flow, url: websocketUrl, event, deadlineMs })
    if (channel === 'webhook') return tryPost(deps, { flow, url: webhookUrl, event, deadlineMs })
    if (channel === 'fallback') return tryPost(deps, { flow, url: fallbackUrl, event, deadlineMs })
    return tryPost(deps, { flow, url: '', carrier: deps.listeners.of(event.accountId, flow.id) ?? nobody, event, deadlineMs })
  },
})

/** The listener went away a moment ago. */
const nobody = { to: undefined, request: () => Promise.reject(new OutboundFailure('connect', 'nobody listens any more')) }

/** The same request as in a call. */
const tryPost = async (deps: TrialsDeps, post: Post): Promise<EndpointTrial> => {
  const startedAt = deps.wallClock.elapsed()
  const { outcome, reply, exchange } = await postEvent({ ...deps, closing: never }, post)
  const error = verdictOn(outcome) === 'replied' ? undefined : outcomeText(outcome)
  return { durationMs: deps.wallClock.elapsed() - startedAt, exchange: exchange ?? { request: { headers: {}, body: '' } }, reply, error }
}
