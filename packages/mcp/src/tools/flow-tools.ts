import { Type } from 'typebox'
import type { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import type { TestRun } from '@offhook/contract/v3/scenarios.ts'
import { ApiError, type Client } from '@offhook/sdk'
import { tool, type Found } from '../tool.ts'

const FlowId = Type.String({ minLength: 1, maxLength: 100, description: 'The id of list_flows' })
const runId = Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Read this run instead of starting one' }))
const chosen = {
  draft: Type.Optional(Type.Boolean({ description: 'The assistant as it is being written' })),
  version: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'A published version' })),
}

export const flowTools = [
  tool({
    name: 'list_flows',
    title: 'List assistants',
    description: 'The assistants (flows) of the account.',
    reads: true,
    input: Type.Object({}),
    run: async (api) => ({ data: await api.listFlows() }),
  }),
  tool({
    name: 'get_flow',
    title: 'Read an assistant',
    description: 'The settings of a flow and, when it is written here, of its assistant as it stands in the draft, with its revision.',
    reads: true,
    input: Type.Object({ flow_id: FlowId }),
    run: async (api, { flow_id }) => ({
      data: { flow: await api.getFlow({ aiFlowId: flow_id }), assistant: await draftOf(api, flow_id) },
    }),
  }),
  tool({
    name: 'edit_draft',
    title: 'Write an assistant',
    description:
      'Replace the draft of an assistant. No call gets it before publish. Read it with get_flow first: what is left out is unset.',
    input: Type.Object({
      flow_id: FlowId,
      revision: Type.Integer({ minimum: 0, description: 'Of get_flow: refused when somebody has changed it since' }),
      settings: Type.Unsafe<AssistantSettings>({ type: 'object', description: 'As get_flow shows them' }),
    }),
    run: async (api, { flow_id, revision, settings }) => ({
      data: await api.changeAssistant({ aiFlowId: flow_id }, { revision, settings }),
    }),
  }),
  tool({
    name: 'publish',
    title: 'Publish an assistant',
    description: 'Make a version of the draft. With stable (the default) every call gets it from now on.',
    input: Type.Object({
      flow_id: FlowId,
      note: Type.Optional(Type.String({ maxLength: 500 })),
      stable: Type.Optional(Type.Boolean()),
    }),
    run: async (api, { flow_id, ...input }) => ({ data: await api.publishAssistant({ aiFlowId: flow_id }, input) }),
  }),
  tool({
    name: 'rollback',
    title: 'Roll an assistant back',
    description: 'Calls get the version again that was stable before.',
    input: Type.Object({ flow_id: FlowId }),
    run: async (api, { flow_id }) => ({ data: await api.rollBackAssistant({ aiFlowId: flow_id }) }),
  }),
  tool({
    name: 'run_tests',
    title: 'Test an assistant',
    description: 'Hold the conversations that are kept with a flow, without telephone. Ask again with run_id until state is not running.',
    input: Type.Object({
      flow_id: FlowId,
      run_id: runId,
      names: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 1, maxItems: 100 })),
      ...chosen,
    }),
    run: (api, { flow_id, run_id, ...input }) => testRun(api, flow_id, run_id, input),
  }),
  tool({
    name: 'replay',
    title: 'Replay calls',
    description: 'What callers said in these calls, said once more to the assistant of today: what would differ. Ask again with run_id.',
    input: Type.Object({
      flow_id: FlowId,
      run_id: runId,
      call_ids: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 1, maxItems: 50 })),
      ...chosen,
    }),
    run: (api, { flow_id, run_id, call_ids = [], ...input }) => testRun(api, flow_id, run_id, { ...input, calls: call_ids }),
  }),
]

const draftOf = async (api: Client, aiFlowId: string): Promise<unknown> => {
  try {
    return await api.getAssistant({ aiFlowId })
  } catch (error) {
    if (error instanceof ApiError && error.body.code === 'assistant_not_set') return undefined
    throw error
  }
}

const testRun = async (
  api: Client,
  aiFlowId: string,
  runId: string | undefined,
  input: Parameters<Client['startTestRun']>[1],
): Promise<Found> => {
  const run = runId === undefined ? await api.startTestRun({ aiFlowId }, input) : await api.getTestRun({ aiFlowId, runId })
  return { data: inShort(run), spoken: true }
}

/** Conversations that passed need no more than their names. */
const inShort = ({ reports, ...run }: TestRun) => ({
  ...run,
  passed: reports.filter(({ state }) => state === 'passed').map(({ name }) => name),
  failed: reports.filter(({ state }) => state !== 'passed').slice(0, 10),
})
