import { userAgent } from '#core/kernel/webhook/standard-webhooks.ts'
import { gatewayRequest, keyHeaders } from '#core/assistant/delivery/events/event-headers.ts'
import { maxReplyBytes, readEndpointReply } from '#core/assistant/delivery/replies/read-endpoint-reply.ts'
import type { OutgoingEvent } from '#core/kernel/ports/assistant/endpoint.ts'
import type { EndpointTrial } from '#core/kernel/ports/assistant/endpoint-trials.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { OutboundSockets, SocketRequest } from '#core/kernel/ports/outbound-sockets.ts'
import type { Flow } from '#core/kernel/ports/store/assistant/flows.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import { headersOf } from '#core/kernel/trace/call-trace.ts'
import { callSpanId } from '#core/kernel/trace/trace-context.ts'

export interface SocketTrialDeps {
  sockets: OutboundSockets
  vault: Vault
  wallClock: Clock
}

export interface SocketTrial {
  flow: Flow
  url: string
  event: OutgoingEvent
  deadlineMs: number
}

interface Heard {
  status?: number
  message?: Buffer
  /** No message is a reply, too, once the event has arrived. */
  confirmed?: true
  error?: string
}

/** Opens a WebSocket, sends one event and waits for the first message. */
export const trySocket = async (deps: SocketTrialDeps, { flow, url, event, deadlineMs }: SocketTrial): Promise<EndpointTrial> => {
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
          if (isLast) end() // nothing can be done any more
        },
        closed: ({ status, message }) => end({ ...(status !== undefined && { status }), error: message }),
      },
    )
  })

/** A gateway tells what goes over the wire; that is no answer. */
const isNote = (message: Buffer): boolean => (JSON.parse(message.toString()) as { type: string }).type === 'note'
