import { Type, type Static } from 'typebox'
import { Input, OneOf } from '../values.ts'

/**
 * A WebSocket over which a developer's machine receives the events of a flow in place of its endpoint, while connected. Every message is
 * JSON as text. The query may name the forwarding address (`to`), which is only displayed.
 */
export const listenPath = '/v3/ai-flows/{aiFlowId}/listen'

/** From the service. */
export type ListenOrder =
  | { type: 'ready'; flowId: string; flowName: string }
  /** The request that the webhook would get: its headers with their signature, and its body, byte for byte. */
  | { type: 'request'; id: string; headers: Record<string, string>; body: string; deadlineMs: number }
  /** Every 5 seconds, because not every client can see pings. */
  | { type: 'alive' }

/** The webhook's answer. */
export const ListenReply = Input({
  type: Type.Literal('reply'),
  id: Type.String({ maxLength: 100 }),
  status: Type.Integer({ minimum: 100, maximum: 599 }),
  headers: Type.Record(Type.String({ maxLength: 200 }), Type.String({ maxLength: 8192 }), { maxProperties: 100 }),
  body: Type.String(),
  base64: Type.Optional(Type.Boolean({ description: 'The body is in Base64, because it is no text' })),
})

/** Why the forwarding address gave no answer; named like the service's own failures. */
export const listenFailures = ['connect', 'timeout', 'broken', 'too_large'] as const

export const ListenFailure = Input({
  type: Type.Literal('failure'),
  id: Type.String({ maxLength: 100 }),
  kind: OneOf(listenFailures),
  message: Type.String({ maxLength: 300 }),
})

/** From the listener. */
export const ListenFrame = Type.Union([ListenReply, ListenFailure])

export type ListenReply = Static<typeof ListenReply>
export type ListenFailure = Static<typeof ListenFailure>

/** Final close codes of the service; a client must not reconnect. */
export const listenEnds = {
  /** Another client listens now: the newest wins. */
  replaced: 4001,
  /** The token or the permission is no longer valid. */
  refused: 4003,
  /** The flow was deleted. */
  flowGone: 4004,
  /** A message was invalid. */
  misunderstood: 4007,
} as const
