import { Type } from 'typebox'
import { basicEvents, extendedEvents } from '../assistant/events.ts'
import { operation } from '../operation.ts'
import { Bytes } from '../v2/timeline.ts'
import { Input, OneOf, Output } from '../values.ts'

export const trialChannels = ['webhook', 'websocket', 'fallback', 'listener'] as const
export type TrialChannel = (typeof trialChannels)[number]

/** Hints about a trial. */
export const trialHints = ['slow', 'silent', 'unsigned', 'disabled'] as const
export type TrialHint = (typeof trialHints)[number]

/** One sample event, sent and answered. */
const Trial = Output({
  eventId: Type.String(),
  sessionId: Type.String({ description: 'Of no call: it is made up' }),
  channel: OneOf(trialChannels),
  url: Type.Optional(Type.String({ description: 'Where it went; missing: a listener that does not say' })),
  durationMs: Type.Integer(),
  request: Output(Bytes),
  response: Type.Optional(Output({ status: Type.Optional(Type.Integer()), ...Bytes })),
  actions: Type.Array(Type.Unknown(), { description: 'What was understood; in a call it would be done' }),
  problems: Type.Array(
    Output({
      index: Type.Integer({ description: 'Place in the answer; -1: the answer as a whole' }),
      type: Type.Optional(Type.String()),
      message: Type.String(),
    }),
  ),
  hints: Type.Array(OneOf(trialHints), {
    description:
      'slow: callers notice more than a second. silent: nothing would be said. unsigned: the flow has no secret. ' +
      'disabled: no events are sent until the flow is changed',
  }),
  error: Type.Optional(Type.String({ description: 'Why there was no answer that counts' })),
})

export const trialOperations = {
  testFlow: operation({
    id: 'testFlow',
    method: 'POST',
    path: '/v3/ai-flows/{aiFlowId}/test',
    summary: 'Send a sample event to the endpoint of a flow, once, and see the answer; it belongs to no call and stands in no log',
    auth: 'user',
    bearer: true,
    scopes: ['all'],
    permission: 'CAN_CHANGE_FLOWS',
    body: Input({
      event: Type.Optional(OneOf([...basicEvents, ...extendedEvents])),
      text: Type.Optional(Type.String({ minLength: 1, maxLength: 2000, description: 'user_speak: what the caller says' })),
      channel: Type.Optional({
        ...OneOf(trialChannels),
        description: 'Default: where a call that began now would ask: a listener, the WebSocket, the webhook',
      }),
    }),
    status: 200,
    reply: Trial,
    errors: ['flow_not_found', 'endpoint_not_set', 'rate_limited'],
  }),
}
