import { Type, type Static } from 'typebox'
import { sentiments } from '../assistant/actions.ts'
import { sessionEndReasons } from '../assistant/session.ts'
import { variablesShape } from '../assistant/variables.ts'
import { operation } from '../operation.ts'
import { Input, OneOf, Output, Timestamp } from '../values.ts'

/** Cost of a model, by the price in its settings. */
const CostShape = Output({ amount: Type.Number(), currency: Type.String() })
export type Cost = Static<typeof CostShape>

export const resultDeliveryStates = ['none', 'pending', 'delivered', 'failed'] as const

const TakenMessage = Output({
  name: Type.Optional(Type.String()),
  phone: Type.Optional(Type.String()),
  text: Type.String(),
  at: Timestamp,
})

/** Result of an assistant's call. The first part is measured, the second comes from the endpoint (action `result`). */
export const CallResult = Output({
  callId: Type.String(),
  sessionId: Type.Optional(Type.String({ description: 'Where it is not the callId: another assistant had the call before' })),
  flowId: Type.String(),
  version: Type.Optional(Type.Integer({ description: 'Of the assistant; missing: an endpoint of your own, or what was being written' })),
  startedAt: Timestamp,
  durationMs: Type.Optional(Type.Integer({ description: 'Missing: the call is still running' })),
  endReason: Type.Optional(OneOf(sessionEndReasons)),
  turns: Type.Integer(),
  interruptions: Type.Integer(),
  transferredTo: Type.Optional(Type.String()),
  variables: Type.Optional(variablesShape('As they were at the end of the call, redacted as the flow wants')),
  correlationId: Type.Optional(Type.String()),
  messages: Type.Array(TakenMessage),
  promptTokens: Type.Integer(),
  completionTokens: Type.Integer(),
  cost: Type.Optional(CostShape),
  firstSoundMs: Type.Optional(
    Type.Integer({ description: 'From the caller’s last sound to the first of the answer: the median of its turns' }),
  ),
  outcome: Type.Optional(Type.String()),
  summary: Type.Optional(Type.String()),
  sentiment: Type.Optional(OneOf(sentiments)),
  fields: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  nextSteps: Type.Optional(Type.Array(Type.String())),
  problem: Type.Optional(Type.String({ description: 'Why something of it is missing' })),
  delivery: OneOf(resultDeliveryStates),
})

/** Words of all callers of the account: for its administrators, like the history of others. */
const common = { auth: 'user', bearer: true, scopes: ['all'], permission: 'CAN_CHANGE_FLOWS' } as const

export const resultOperations = {
  listResults: operation({
    id: 'listResults',
    heavy: true,
    method: 'GET',
    path: '/v3/ai-flows/{aiFlowId}/results',
    summary: 'What came of the calls of a flow, the latest first',
    ...common,
    query: Input({
      from: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601: calls that began then or later' })),
      to: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601: calls that began before' })),
      outcome: Type.Optional(Type.String({ maxLength: 60 })),
      version: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
      search: Type.Optional(
        Type.String({ minLength: 1, maxLength: 200, description: 'Words of the summary, the outcome, fields, messages' }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
      before: Type.Optional(
        Type.String({ maxLength: 100, description: 'The callId of the last one that was read: those before it follow' }),
      ),
    }),
    status: 200,
    reply: Output({ items: Type.Array(CallResult), more: Type.Boolean() }),
    errors: ['flow_not_found'],
  }),
  getResult: operation({
    id: 'getResult',
    method: 'GET',
    path: '/v3/ai-flows/{aiFlowId}/results/{callId}',
    summary: 'What came of one call',
    ...common,
    status: 200,
    reply: CallResult,
    errors: ['flow_not_found', 'result_not_found'],
  }),
  redeliverResult: operation({
    id: 'redeliverResult',
    method: 'POST',
    path: '/v3/ai-flows/{aiFlowId}/results/{callId}/redeliver',
    summary: 'Send the result again to the address that the assistant’s version names',
    ...common,
    status: 202,
    errors: ['flow_not_found', 'result_not_found', 'conflict'],
  }),
}
