import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Items, OneOf, Output, Text, Timestamp } from '../values.ts'
import { AssistantSettings, ShownAssistant } from './assistant-values.ts'

const common = { auth: 'user', bearer: true, scopes: ['all'] } as const
const reading = { ...common, permission: 'CAN_GET_FLOWS', status: 200 } as const
const changing = { ...common, permission: 'CAN_CHANGE_FLOWS' } as const

const version = Type.Integer({ minimum: 1, description: 'Counted from 1 in each flow' })

export const AssistantVersion = Output({
  version,
  createdAt: Timestamp,
  createdBy: Type.String({ description: 'The user who published it' }),
  note: Type.Optional(Type.String()),
  calls: Type.Integer({ description: 'How many calls had it' }),
})

const rollout = {
  candidate: Type.Optional(version),
  percent: Type.Optional(Type.Integer({ minimum: 0, maximum: 100, description: 'Of calls that the candidate gets; default 0' })),
  by: Type.Optional(OneOf(['caller', 'call'], { description: 'caller (default): who calls again gets the same version' })),
}

const Measured = Output({
  ok: Type.Boolean(),
  firstTokenMs: Type.Optional(Type.Integer()),
  totalMs: Type.Integer(),
  tokensPerSecond: Type.Optional(Type.Number()),
  text: Type.Optional(Type.String({ description: 'What it answered' })),
  tools: Type.Optional(Type.Boolean({ description: 'It can call tools' })),
  json: Type.Optional(Type.Boolean({ description: 'It can answer as a schema wants it' })),
  problem: Type.Optional(Type.String({ description: 'What is wrong, and what to do' })),
})

export const assistantOperations = {
  getAssistant: operation({
    id: 'getAssistant',
    tools: ['get_flow'],
    method: 'GET',
    path: '/v3/ai-flows/{aiFlowId}/assistant',
    summary: 'The assistant that is being written: no call gets it before it is published',
    ...reading,
    reply: Output({
      settings: ShownAssistant,
      revision: Type.Integer({ description: 'Counts changes; to be given when it is changed' }),
      changedAt: Type.Optional(Timestamp),
      published: Type.Optional(Type.Integer({ description: 'The version that equals it' })),
    }),
    errors: ['flow_not_found', 'assistant_not_set'],
  }),
  changeAssistant: operation({
    id: 'changeAssistant',
    tools: ['edit_draft'],
    method: 'PUT',
    path: '/v3/ai-flows/{aiFlowId}/assistant',
    summary: 'Write an assistant: what is left out is unset, but for secrets whose address leads to the same host',
    ...changing,
    bodyLimit: 512 * 1024,
    body: Input({
      settings: AssistantSettings,
      revision: Type.Optional(Type.Integer({ minimum: 0, description: 'The one that was read: refused when it has changed since' })),
    }),
    status: 200,
    reply: Output({ revision: Type.Integer(), warnings: Type.Array(Type.String(), { description: 'What may not be meant so' }) }),
    errors: ['flow_not_found', 'conflict'],
  }),
  deleteAssistant: operation({
    id: 'deleteAssistant',
    method: 'DELETE',
    path: '/v3/ai-flows/{aiFlowId}/assistant',
    summary: 'Delete an assistant that its flow does not use; published versions can still be read',
    ...changing,
    status: 204,
    errors: ['flow_not_found', 'assistant_not_set', 'conflict'],
  }),
  publishAssistant: operation({
    id: 'publishAssistant',
    tools: ['publish'],
    method: 'POST',
    path: '/v3/ai-flows/{aiFlowId}/assistant/versions',
    summary:
      'What is written becomes a version that does not change any more, and from now on the stable one, unless it is to be tried first',
    ...changing,
    body: Input({
      note: Type.Optional(Text(500)),
      stable: Type.Optional(Type.Boolean({ default: true, description: 'False: calls go on with the versions that they have' })),
    }),
    status: 201,
    reply: AssistantVersion,
    errors: ['flow_not_found', 'assistant_not_set', 'conflict'],
  }),
  listAssistantVersions: operation({
    id: 'listAssistantVersions',
    heavy: true,
    method: 'GET',
    path: '/v3/ai-flows/{aiFlowId}/assistant/versions',
    summary: 'The versions of an assistant, the newest first',
    ...reading,
    reply: Items(AssistantVersion),
    errors: ['flow_not_found'],
  }),
  getAssistantVersion: operation({
    id: 'getAssistantVersion',
    method: 'GET',
    path: '/v3/ai-flows/{aiFlowId}/assistant/versions/{version}',
    summary: 'One version, with its settings',
    ...reading,
    reply: Output({ ...AssistantVersion.properties, settings: ShownAssistant }),
    errors: ['flow_not_found', 'assistant_version_not_found'],
  }),
  getRollout: operation({
    id: 'getRollout',
    method: 'GET',
    path: '/v3/ai-flows/{aiFlowId}/assistant/rollout',
    summary: 'Which version calls get',
    ...reading,
    reply: Output({ stable: Type.Optional(version), ...rollout, previous: Type.Optional(version) }),
    errors: ['flow_not_found'],
  }),
  changeRollout: operation({
    id: 'changeRollout',
    method: 'PUT',
    path: '/v3/ai-flows/{aiFlowId}/assistant/rollout',
    summary: 'Choose the version that calls get, and how many of them another one; running calls keep theirs',
    ...changing,
    body: Input({ stable: version, ...rollout }),
    status: 204,
    errors: ['flow_not_found', 'assistant_version_not_found'],
  }),
  rollBackAssistant: operation({
    id: 'rollBackAssistant',
    tools: ['rollback'],
    method: 'POST',
    path: '/v3/ai-flows/{aiFlowId}/assistant/rollback',
    summary: 'Calls get the version again that was stable before, and no other',
    ...changing,
    status: 200,
    reply: Output({ stable: version }),
    errors: ['flow_not_found', 'conflict'],
  }),
  testModel: operation({
    id: 'testModel',
    method: 'POST',
    path: '/v3/ai-flows/{aiFlowId}/assistant/model-test',
    summary: 'Ask the model of the assistant that is being written one question, and see how fast it is and what it can do',
    ...changing,
    body: Input({ second: Type.Optional(Type.Boolean({ description: 'True: the one that takes over' })) }),
    status: 200,
    reply: Measured,
    errors: ['flow_not_found', 'assistant_not_set', 'conflict', 'unavailable', 'rate_limited'],
  }),
  testTool: operation({
    id: 'testTool',
    method: 'POST',
    path: '/v3/ai-flows/{aiFlowId}/assistant/tools/{tool}/test',
    summary: 'Call one of the own HTTP tools of the assistant that is being written, as in a call, and see what went to and fro',
    ...changing,
    body: Input({ arguments: Type.Optional(Type.Record(Type.String(), Type.Unknown())) }),
    status: 200,
    reply: Output({
      ok: Type.Boolean(),
      ms: Type.Integer(),
      request: Type.Optional(Output({ url: Type.String(), headers: Type.Record(Type.String(), Type.String()), body: Type.String() })),
      response: Type.Optional(Output({ status: Type.Integer(), body: Type.String() })),
      problem: Type.Optional(Type.String()),
    }),
    errors: ['flow_not_found', 'assistant_not_set', 'assistant_tool_not_found', 'unavailable', 'rate_limited'],
  }),
}
