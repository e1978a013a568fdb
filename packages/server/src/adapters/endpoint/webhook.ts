import type { Attempt, Way } from '#core/assistant/delivery/attempts/attempt.ts'
import { eventHeaders, keyHeaders } from '#core/assistant/delivery/events/event-headers.ts'
import { afterTheEnd, isNote } from '#core/assistant/session/endpoint/session-notes.ts'
import type { Listener } from '#core/assistant/delivery/listeners/listener-messages.ts'
import { maxReplyBytes, readEndpointReply, refusedReply } from '#core/assistant/delivery/replies/read-endpoint-reply.ts'
import { verdictOn } from '#core/assistant/delivery/attempts/retry-policy.ts'
import { outcomeText } from '#core/assistant/delivery/attempts/attempt.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { EndpointReply, OutgoingEvent } from '#core/kernel/ports/assistant/endpoint.ts'
import { OutboundFailure, type OutboundHttp, type OutboundReply } from '#core/kernel/ports/outbound-http.ts'
import type { Flow } from '#core/kernel/ports/store/assistant/flows.ts'
import type { Tracer } from '#core/kernel/trace/tracer.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import { headersOf } from '#core/kernel/trace/call-trace.ts'
import { attemptSpanId } from '#core/kernel/trace/trace-context.ts'

export interface WebhookDeps {
  outbound: OutboundHttp
  vault: Vault
  clock: Clock
  wallClock: Clock
  closing: AbortSignal
  tracer?: Tracer | undefined
}

export interface Post {
  flow: Flow
  /** One that stands in the flow: it gets the key. */
  url: string
  /** A listener instead of the address; it gets the key as well. */
  carrier?: Pick<Listener, 'request' | 'to'>
  event: OutgoingEvent
  deadlineMs: number
  /** Which attempt it is; the first one over a webhook unless given. */
  tried?: { channel: Way['channel']; attempt: number }
  onWire?: () => void
}

const first = { channel: 'webhook', attempt: 1 } as const

/** Sends one event to one address, once. */
export const postEvent = async (deps: WebhookDeps, post: Post): Promise<Attempt> => {
  const { outbound, vault, clock, wallClock, closing, tracer } = deps
  const { flow, url, carrier = outbound, event, deadlineMs, tried = first, onWire = () => {} } = post
  const { settings } = flow
  const body = JSON.stringify(event.body)
  const trace = headersOf(tracer, { callId: event.sessionId, trace: event.trace }, attemptSpanId(event.id, tried))
  const signing = { settings, vault, now: clock.now(), signedAt: wallClock.now(), trace }
  const headers = { ...eventHeaders(event, body, signing), ...keyHeaders(settings, vault) }
  const requestBytes = Buffer.byteLength(body)
  const at = post.carrier ? post.carrier.to : url
  const exchange = { ...(at !== undefined && { url: at }), request: { headers, body } }
  try {
    const request = { method: 'POST', url, headers, body, deadlineMs, maxBytes: maxReplyBytes, signal: closing, onWire } as const
    const response = await carrier.request(request)
    const reply = replyIn(response, event)
    const outcome = { status: response.status, retryAfter: response.headers['retry-after'], refused: reply.refused }
    return { outcome, reply, requestBytes, replyBytes: response.body.length, exchange: { ...exchange, response } }
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    const problems = error.kind === 'too_large' ? [{ index: -1, message: error.message }] : []
    return { outcome: { failure: error }, reply: { actions: [], problems }, requestBytes, replyBytes: 0, exchange }
  }
}

const replyIn = (response: OutboundReply, event: OutgoingEvent): EndpointReply => {
  const reply = readReply(response, event.sessionId)
  if (event.body.type !== 'session_end') return reply
  // Nobody waits for this answer: whatever it is, the event was taken.
  const notes = reply.actions.filter(isNote)
  const over = { index: 0, message: afterTheEnd }
  return { actions: notes, problems: reply.actions.length === notes.length ? reply.problems : [...reply.problems, over] }
}

const readReply = (response: OutboundReply, sessionId: string): EndpointReply => {
  const outcome = { status: response.status }
  if (verdictOn(outcome) !== 'replied') return { actions: [], problems: [{ index: -1, message: outcomeText(outcome) }] }
  if (!['', 'identity'].includes(response.headers['content-encoding'] ?? ''))
    return refusedReply('the answer is compressed, which was not asked for')
  return readEndpointReply(response.body, sessionId)
}
