import { Problem } from '@offhook/contract/problem.ts'
import type { scenarioOperations } from '@offhook/contract/v3/scenarios.ts'
import { forgetScenario, keepScenario } from '#core/account/scenarios/keep-scenario.ts'
import { readScenarios } from '#core/account/scenarios/read-scenarios.ts'
import type { StoredScenario } from '#core/kernel/ports/store/session.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { jsonList } from '../reply/send-json.ts'
import { PiecesReply } from '../reply/send-json.ts'
import { testRunHandlers } from './test-runs.ts'

export const scenarioHandlers = (
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'calls' | 'timelines' | 'testRunner'>,
): Handlers<typeof scenarioOperations> => {
  const { store, clock } = deps
  const requireFlow = async (accountId: string, flowId: string): Promise<void> => {
    if (!(await store.read.flows.find(accountId, flowId))) throw new Problem('flow_not_found')
  }
  return {
    listScenarios: async ({ caller: { accountId }, params: { aiFlowId }, query, breathe }) => {
      await requireFlow(accountId, aiFlowId)
      const slices = readScenarios(store.read, { accountId, flowId: aiFlowId }, breathe)
      if (query.limit === undefined && query.offset === undefined) return new PiecesReply(jsonList(slices, toElement))
      return pageOfSlices(slices, query)
    },

    getScenario: async ({ caller: { accountId }, params: { aiFlowId, name } }) => {
      await requireFlow(accountId, aiFlowId)
      const kept = await store.read.scenarios.find(accountId, aiFlowId, name)
      if (!kept) throw new Problem('scenario_not_found')
      return toElement(kept)
    },

    setScenario: ({ caller, params: { aiFlowId: flowId, name }, body }) =>
      store.write((tables) => keepScenario(tables, clock, caller, { flowId, name }, body)),

    deleteScenario: ({ caller, params: { aiFlowId: flowId, name } }) =>
      store.write((tables) => forgetScenario(tables, clock, caller, { flowId, name })),

    ...testRunHandlers(deps),
  }
}

const pageOfSlices = async (slices: AsyncIterable<readonly StoredScenario[]>, page: { limit?: number; offset?: number }) => {
  const { limit = Infinity, offset = 0 } = page
  const items: ReturnType<typeof toElement>[] = []
  let totalCount = 0
  for await (const slice of slices) {
    const end = offset + limit - totalCount
    items.push(...slice.slice(Math.max(0, offset - totalCount), Math.max(0, end)).map(toElement))
    totalCount += slice.length
  }
  return { items, totalCount }
}

const toElement = ({ scenario, required, updatedAt }: StoredScenario) => ({
  ...scenario,
  required,
  updatedAt: new Date(updatedAt).toISOString(),
})
