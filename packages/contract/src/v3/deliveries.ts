import { Type } from 'typebox'
import { deliveryStates } from '../assistant/events.ts'
import { operation } from '../operation.ts'
import { Input, Items, OneOf, Output, Timestamp } from '../values.ts'

/** One delivery attempt of an event to an endpoint. Only its outcome is kept, not its content. */
export const Delivery = Output({
  id: Type.String(),
  sessionId: Type.String(),
  eventId: Type.String({ description: 'The same for every attempt, and in the headers webhook-id and x-event-id' }),
  eventType: Type.String(),
  sequence: Type.Integer({ description: 'Place of the event in its session' }),
  turn: Type.Integer(),
  attempt: Type.Integer({ description: '0: not even tried; error says why' }),
  channel: OneOf(['webhook', 'websocket', 'fallback', 'listener']),
  at: Timestamp,
  durationMs: Type.Integer(),
  state: OneOf(deliveryStates),
  status: Type.Optional(Type.Integer({ description: 'What a webhook answered' })),
  requestBytes: Type.Integer(),
  replyBytes: Type.Integer(),
  actions: Type.Array(Type.String(), { description: 'Types of the actions that were understood' }),
  problems: Type.Array(
    Output({
      index: Type.Integer({ description: 'Place in the answer; -1: the answer as a whole' }),
      type: Type.Optional(Type.String()),
      message: Type.String(),
    }),
    { description: 'What was not done, and why' },
  ),
  error: Type.Optional(Type.String({ description: 'Why the attempt failed' })),
})

const common = { auth: 'user', bearer: true, scopes: ['all'] } as const

export const deliveryOperations = {
  listDeliveries: operation({
    id: 'listDeliveries',
    heavy: true,
    method: 'GET',
    path: '/v3/ai-flows/{aiFlowId}/deliveries',
    summary: 'What the endpoint of a flow was told in the last 30 days, and how it went; the latest first',
    ...common,
    permission: 'CAN_GET_FLOWS',
    query: Input({
      sessionId: Type.Optional(Type.String({ maxLength: 100 })),
      state: Type.Optional(OneOf(deliveryStates)),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
      before: Type.Optional(Type.String({ maxLength: 100, description: 'The id of the last one that was read: those before it follow' })),
    }),
    status: 200,
    reply: Items(Delivery),
    errors: ['flow_not_found'],
  }),
  getDelivery: operation({
    id: 'getDelivery',
    method: 'GET',
    path: '/v3/ai-flows/{aiFlowId}/deliveries/{deliveryId}',
    summary: 'One attempt to tell the endpoint something',
    ...common,
    permission: 'CAN_GET_FLOWS',
    status: 200,
    reply: Delivery,
    errors: ['flow_not_found', 'delivery_not_found'],
  }),
  redeliver: operation({
    id: 'redeliver',
    method: 'POST',
    path: '/v3/ai-flows/{aiFlowId}/deliveries/{deliveryId}/redeliver',
    summary: 'Tell the end of a session again, to the endpoint that the flow has now; other events make no sense later',
    ...common,
    permission: 'CAN_CHANGE_FLOWS',
    status: 202,
    errors: ['flow_not_found', 'delivery_not_found', 'conflict'],
  }),
}
