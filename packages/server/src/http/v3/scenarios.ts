import { Problem } from '@offhook/contract/problem.ts'
import type { scenarioOperations } from '@offhook/contract/v3/scenarios.ts'
import { forgetScenario, keepScenario } from '#core/account/scenarios/keep-scenario.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-parts.ts'
import { testRunHandlers } from './test-runs.ts'

export const scenarioHandlers = (
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'calls' | 'timelines' | 'testRunner'>,
): Handlers<typeof scenarioOperations> => {
  const { store, clock } = deps
  const requireFlow = async (accountId: string, flowId: string): Promise<void> => {
    if (!(await store.read.flows.find(accountId, flowId))) throw new Problem('flow_not_found')
  }
  return {
    listScenarios: async ({ caller: { accountId }, params: { aiFlowId } }) => {
      await requireFlow(accountId, aiFlowId)
      const kept = await store.read.scenarios.list(accountId, aiFlowId)
      return {
        items: kept.map(({ scenario, required, updatedAt }) => ({ ...scenario, required, updatedAt: new Date(updatedAt).toISOString() })),
      }
    },

    setScenario: ({ caller, params: { aiFlowId: flowId, name }, body }) =>
      store.write((tables) => keepScenario(tables, clock, caller, { flowId, name }, body)),

    deleteScenario: ({ caller, params: { aiFlowId: flowId, name } }) =>
      store.write((tables) => forgetScenario(tables, clock, caller, { flowId, name })),

    ...testRunHandlers(deps),
  }
}
