import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Items, Output, RequiredText } from '../values.ts'

export const Flow = Output({
  id: Type.String(),
  name: Type.String(),
  webhookUrl: Type.Optional(Type.String()),
  phone_number: Type.Optional(
    Type.String({ description: 'Digits of E.164 without the plus sign; shown to the people whom the flow calls' }),
  ),
})

const FlowWish = Input({
  name: RequiredText(100),
  webhookUrl: Type.Optional(Type.String({ maxLength: 2000, description: 'Where events go: http or https' })),
  phone_number: Type.Optional(
    Type.String({ maxLength: 20, description: 'A number of the account: digits of E.164 without the plus sign' }),
  ),
})

export const flowOperations = {
  listFlows: operation({
    id: 'listFlows',
    method: 'GET',
    path: '/v3/ai-flows',
    summary: 'The flows of the account',
    auth: 'user',
    bearer: true,
    scopes: ['all'],
    permission: 'CAN_GET_FLOWS',
    status: 200,
    reply: Items(Flow),
  }),
  createFlow: operation({
    id: 'createFlow',
    method: 'POST',
    path: '/v3/ai-flows',
    summary: 'Create a flow',
    auth: 'user',
    bearer: true,
    scopes: ['all'],
    permission: 'CAN_CHANGE_FLOWS',
    body: FlowWish,
    status: 201,
    reply: Flow,
  }),
  getFlow: operation({
    id: 'getFlow',
    method: 'GET',
    path: '/v3/ai-flows/{aiFlowId}',
    summary: 'One flow',
    auth: 'user',
    bearer: true,
    scopes: ['all'],
    permission: 'CAN_GET_FLOWS',
    status: 200,
    reply: Flow,
    errors: ['flow_not_found'],
  }),
  changeFlow: operation({
    id: 'changeFlow',
    method: 'PUT',
    path: '/v3/ai-flows/{aiFlowId}',
    summary: 'Replace what is set for a flow; what is left out is unset',
    auth: 'user',
    bearer: true,
    scopes: ['all'],
    permission: 'CAN_CHANGE_FLOWS',
    body: FlowWish,
    status: 204,
    errors: ['flow_not_found'],
  }),
  deleteFlow: operation({
    id: 'deleteFlow',
    method: 'DELETE',
    path: '/v3/ai-flows/{aiFlowId}',
    summary: 'Delete a flow that no number leads to',
    auth: 'user',
    bearer: true,
    scopes: ['all'],
    permission: 'CAN_CHANGE_FLOWS',
    status: 204,
    errors: ['flow_not_found', 'conflict'],
  }),
  callFlow: operation({
    id: 'callFlow',
    method: 'POST',
    path: '/v3/ai-flows/{aiFlowId}/call',
    summary: 'Let the assistant call somebody, with the flow’s number as caller ID; needs the operator’s permission',
    auth: 'user',
    bearer: true,
    scopes: ['all'],
    permission: 'CAN_USE_FLOW_OUTBOUND',
    idempotent: true,
    body: Input({
      billingDevice: Type.String({ minLength: 1, maxLength: 64, description: 'Device of the account, such as e2' }),
      toPhoneNumber: Type.String({ minLength: 1, maxLength: 64, description: 'E.164 without the plus sign' }),
    }),
    status: 201,
    reply: Output({ sessionId: Type.String() }),
    errors: [
      ...(['flow_not_found', 'flow_without_number', 'outbound_not_enabled', 'caller_id_not_owned'] as const),
      ...(['destination_blocked', 'insufficient_funds', 'line_unavailable'] as const),
    ],
  }),
}
