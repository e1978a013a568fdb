import { outcomeText, verdictOn } from '#core/assistant/delivery/attempts/attempt.ts'
import type { Listeners } from '#core/assistant/delivery/listeners/remote-listeners.ts'
import type { EndpointTrial, EndpointTrials, OutgoingEvent } from '#core/kernel/ports/assistant.ts'
import { OutboundFailure, type OutboundSockets, type SocketRequest } from '#core/kernel/ports/outbound.ts'
import { attemptMsOf, postEvent, type Post, type WebhookDeps } from './webhook-channel.ts'
import { userAgent } from '#core/kernel/webhook/standard-webhooks.ts'
import { gatewayRequest, keyHeaders } from '#core/assistant/delivery/events/event-headers.ts'
import { maxReplyBytes, readEndpointReply } from '#core/assistant/delivery/replies/read-endpoint-reply.ts'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { Flow } from '#core/kernel/ports/store/assistant.ts'
import { headersOf, callSpanId } from '#core/kernel/trace/tracer.ts'

interface TrialsDeps extends Omit<WebhookDeps, 'closing'> {
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

/** The listener has just disconnected. */
const nobody = { to: undefined, request: () => Promise.reject(new OutboundFailure('connect', 'nobody listens any more')) }

/** The same request as in a call. */
const tryPost = async (deps: TrialsDeps, post: Post): Promise<EndpointTrial> => {
  const startedAt = deps.wallClock.elapsed()
  const { outcome, reply, exchange } = await postEvent({ ...deps, closing: never }, post)
  const error = verdictOn(outcome) === 'replied' ? undefined : outcomeText(outcome)
  return { durationMs: deps.wallClock.elapsed() - startedAt, exchange: exchange ?? { request: { headers: {}, body: '' } }, reply, error }
}

interface SocketTrialDeps {
  sockets: OutboundSockets
  vault: Vault
  wallClock: Clock
}

interface SocketTrial {
  flow: Flow
  url: string
  event: OutgoingEvent
  deadlineMs: number
}

interface Heard {
  status?: number
  message?: Buffer
  /** Once the event has arrived, no message also counts as a reply. */
  confirmed?: true
  error?: string
}

/** Opens a WebSocket, sends one event and waits for the first message. */
const trySocket = async (deps: SocketTrialDeps, { flow, url, event, deadlineMs }: SocketTrial): Promise<EndpointTrial> => {
  const { sessionId: callId } = event
  const trace = headersOf(undefined, { callId }, callSpanId(callId))
  const headers = { 'user-agent': userAgent, ...trace, ...keyHeaders(flow.settings, deps.vault) }
  const body = JSON.stringify(event.body)
  const startedAt = deps.wallClock.elapsed()
  const way = { url, headers, ...gatewayRequest(flow.settings, deps.vault, deps.wallClock.now()) }
  const heard = await converse(deps, { ...way, body, deadlineMs, isLast: event.body.type === 'session_end' })
  const { status, message = Buffer.alloc(0) } = heard
  const reply = readEndpointReply(message, event.sessionId)
  return {
    durationMs: deps.wallClock.elapsed() - startedAt,
    exchange: { url, request: { headers, body }, ...(status !== undefined && { response: { status, headers: {}, body: message } }) },
    reply,
    error: heard.error ?? reply.refused,
  }
}

interface Words extends Pick<SocketRequest, 'url' | 'headers' | 'gateway'> {
  body: string
  deadlineMs: number
  isLast: boolean
}

const converse = ({ sockets, wallClock }: SocketTrialDeps, { body, deadlineMs, isLast, ...way }: Words): Promise<Heard> =>
  new Promise((resolve) => {
    const heard: Heard = {}
    const end = (more: Heard = {}): void => {
      cancel()
      resolve({ ...heard, ...more })
      socket.close()
    }
    const cancel = wallClock.after(deadlineMs, () => end(heard.confirmed ? {} : { error: 'it is not confirmed that the event arrived' }))
    const socket = sockets.connect(
      { ...way, handshakeMs: deadlineMs, maxBytes: maxReplyBytes },
      {
        opened() {
          heard.status = 101
          socket.send(body)
          socket.ping('1')
        },
        said: (message) => {
          if (!way.gateway || !isNote(message)) end({ message })
        },
        saidBytes: () => end({ error: 'a message must be text' }),
        pong() {
          heard.confirmed = true
          if (isLast) end() // no further outcome is possible
        },
        closed: ({ status, message }) => end({ ...(status !== undefined && { status }), error: message }),
      },
    )
  })

/** A gateway's note about wire messages is not an answer. */
const isNote = (message: Buffer): boolean => (JSON.parse(message.toString()) as { type: string }).type === 'note'
