import { Type, type Static } from 'typebox'
import { Scenario, ScenarioReport } from '../assistant/scenario.ts'
import { operation } from '../operation.ts'
import { Input, Items, OneOf, Output, RequiredText, Timestamp } from '../values.ts'

/** The endpoint to test: the one that answers calls now, the draft assistant, or one of its versions. */
export const EndpointChoice = {
  draft: Type.Optional(Type.Boolean({ description: 'The assistant as it is being written' })),
  version: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'A published version of the assistant' })),
}

export const StoredScenario = Output({
  ...Scenario.properties,
  required: Type.Boolean({ description: 'True: a version is not published while it fails' }),
  updatedAt: Timestamp,
})

export const testRunStates = ['running', 'passed', 'failed'] as const

export const TestRun = Output({
  runId: Type.String(),
  state: OneOf(testRunStates),
  startedAt: Timestamp,
  draft: Type.Optional(Type.Boolean()),
  version: Type.Optional(Type.Integer()),
  total: Type.Integer(),
  reports: Type.Array(ScenarioReport, { description: 'Of those that are over, in the order of their names' }),
})
export type TestRun = Static<typeof TestRun>

const common = { auth: 'user', bearer: true, scopes: ['all'] } as const
const reading = { ...common, permission: 'CAN_GET_FLOWS' } as const
const changing = { ...common, permission: 'CAN_CHANGE_FLOWS' } as const

export const scenarioOperations = {
  listScenarios: operation({
    id: 'listScenarios',
    heavy: true,
    method: 'GET',
    path: '/v3/ai-flows/{aiFlowId}/scenarios',
    summary: 'The conversations that are kept with a flow to test it, by name',
    ...reading,
    status: 200,
    reply: Items(StoredScenario),
    errors: ['flow_not_found'],
  }),
  getScenario: operation({
    id: 'getScenario',
    method: 'GET',
    path: '/v3/ai-flows/{aiFlowId}/scenarios/{name}',
    summary: 'A conversation that is kept with a flow',
    ...reading,
    status: 200,
    reply: StoredScenario,
    errors: ['flow_not_found', 'scenario_not_found'],
  }),
  setScenario: operation({
    id: 'setScenario',
    method: 'PUT',
    path: '/v3/ai-flows/{aiFlowId}/scenarios/{name}',
    summary: 'Keep a conversation with a flow, in place of the one of the same name',
    ...changing,
    body: Input({ ...Scenario.properties, required: Type.Optional(Type.Boolean()) }),
    status: 204,
    errors: ['flow_not_found', 'conflict'],
  }),
  deleteScenario: operation({
    id: 'deleteScenario',
    method: 'DELETE',
    path: '/v3/ai-flows/{aiFlowId}/scenarios/{name}',
    summary: 'Forget a conversation',
    ...changing,
    status: 204,
    errors: ['flow_not_found', 'scenario_not_found'],
  }),
  startTestRun: operation({
    id: 'startTestRun',
    heavy: true,
    tools: ['run_tests', 'replay'],
    method: 'POST',
    path: '/v3/ai-flows/{aiFlowId}/test-runs',
    summary: 'Hold conversations with the endpoint of the flow, without sound or telephone: those that are kept, some of them, or others',
    ...changing,
    bodyLimit: 2_000_000,
    body: Input({
      ...EndpointChoice,
      names: Type.Optional(Type.Array(RequiredText(100), { minItems: 1, maxItems: 500, description: 'Missing: all that are kept' })),
      scenarios: Type.Optional(Type.Array(Scenario, { minItems: 1, maxItems: 200, description: 'Instead of those that are kept' })),
      calls: Type.Optional(
        Type.Array(RequiredText(100), { minItems: 1, maxItems: 200, description: 'Instead: what happened in these calls, once more' }),
      ),
    }),
    status: 202,
    reply: TestRun,
    location: '/v3/ai-flows/{aiFlowId}/test-runs/{runId}',
    errors: [
      'flow_not_found',
      'scenario_not_found',
      'timeline_not_found',
      'endpoint_not_set',
      'assistant_not_set',
      'assistant_version_not_found',
      'call_not_repeatable',
      'test_run_limit_reached',
    ],
  }),
  listTestRuns: operation({
    id: 'listTestRuns',
    heavy: true,
    method: 'GET',
    path: '/v3/ai-flows/{aiFlowId}/test-runs',
    summary: 'The latest test runs of a flow, the newest first; they are kept for a day',
    ...reading,
    status: 200,
    reply: Items(TestRun),
    errors: ['flow_not_found'],
  }),
  getTestRun: operation({
    id: 'getTestRun',
    heavy: true,
    method: 'GET',
    path: '/v3/ai-flows/{aiFlowId}/test-runs/{runId}',
    summary: 'One test run, running or over',
    ...reading,
    status: 200,
    reply: TestRun,
    errors: ['flow_not_found', 'test_run_not_found'],
  }),
}
