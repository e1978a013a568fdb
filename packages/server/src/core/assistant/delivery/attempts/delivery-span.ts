import { callIdOf } from '@offhook/contract/assistant/session.ts'
import type { Exchange, OutgoingEvent } from '#core/kernel/ports/assistant.ts'
import type { Delivery } from '#core/kernel/ports/store/session.ts'
import type { SpanAttributes, Tracer } from '#core/kernel/trace/tracer.ts'
import { callTrace, attemptSpanId, turnSpanId } from '#core/kernel/trace/tracer.ts'

/** Adds a span for one delivery attempt to the call's trace. */
export const reportAttempt = (tracer: Tracer, delivery: Delivery, exchange: Exchange | undefined, { trace }: OutgoingEvent): void => {
  const { sessionId, eventId, attempt, channel, at, durationMs } = delivery
  const wasTried = attempt > 0
  callTrace(tracer, { callId: callIdOf(sessionId), trace })?.notify({
    name: channel === 'websocket' ? 'websocket' : 'webhook',
    kind: 'client',
    ...(wasTried && { spanId: attemptSpanId(eventId, { channel, attempt }) }),
    ...parentOf(delivery),
    startedAt: at,
    endedAt: at + durationMs,
    attributes: { ...ofEvent(delivery), ...(wasTried && ofRequest(delivery)), ...(exchange?.url !== undefined && ofServer(exchange.url)) },
    error: errorOf(delivery),
  })
}

/** Events that the caller waits for belong to the turn's span; others to the call. */
const parentOf = ({ sessionId, eventType, turn }: Delivery): { parentId?: string } =>
  eventType === 'user_speak' || eventType === 'session_start' ? { parentId: turnSpanId(sessionId, turn) } : {}

const ofEvent = ({ flowId, eventId, eventType, turn, channel, state }: Delivery): SpanAttributes => ({
  'offhook.flow.id': flowId,
  'offhook.event.id': eventId,
  'offhook.event.type': eventType,
  'offhook.turn': turn,
  'offhook.delivery.channel': channel,
  'offhook.delivery.state': state,
})

const ofRequest = ({ channel, attempt, status, requestBytes, replyBytes }: Delivery): SpanAttributes => ({
  ...(channel !== 'websocket' && { 'http.request.method': 'POST' }),
  'http.response.status_code': status,
  ...(attempt > 1 && { 'http.request.resend_count': attempt - 1 }),
  'http.request.body.size': requestBytes,
  'http.response.body.size': replyBytes,
})

/** Omits path and query: in webhook URLs they are often secrets. */
const ofServer = (url: string): SpanAttributes => {
  const { hostname, port, protocol } = URL.parse(url) ?? {}
  const scheme = protocol?.slice(0, -1)
  return { 'server.address': hostname, 'server.port': port === '' ? defaultPort(scheme) : Number(port), 'url.scheme': scheme }
}

const defaultPort = (scheme: string | undefined): number => (scheme === 'https' || scheme === 'wss' ? 443 : 80)

const errorOf = ({ attempt, state, status }: Delivery): string | undefined => {
  if (state !== 'failed' && state !== 'dead') return undefined
  if (attempt === 0) return 'not_tried'
  return status === undefined ? 'unreachable' : String(status)
}
