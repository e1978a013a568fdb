import { Problem } from '@offhook/contract/problem.ts'
import type { Scenario } from '@offhook/contract/assistant/scenario.ts'
import { patternProblems } from '@offhook/contract/assistant/scenario-patterns.ts'
import { lockFlow } from '../flows/lock-flow.ts'
import type { UserCaller } from '../identity/caller/caller.ts'
import { auditByUser } from '#core/kernel/audit/audit-by.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

/** Of a flow. How much one of them may be is what a request may be: 64 kB. */
const maxScenarios = 500

export interface ScenarioInput extends Scenario {
  required?: boolean
}

/** Keeps a conversation with a flow, in place of the one of the same name. */
export const keepScenario = async (
  tables: Tables,
  clock: Clock,
  caller: UserCaller,
  place: { flowId: string; name: string },
  { required = false, ...scenario }: ScenarioInput,
): Promise<void> => {
  const { accountId } = caller
  const { flowId, name } = place
  if (scenario.name !== name) throw Problem.field('name', 'must be the one in the address')
  requirePatterns(scenario)
  await lockFlow(tables, accountId, flowId)
  const kept = await tables.scenarios.list(accountId, flowId)
  if (kept.length >= maxScenarios && !kept.some((one) => one.scenario.name === name))
    throw new Problem('conflict', `A flow keeps at most ${maxScenarios} scenarios.`)
  await tables.scenarios.put(accountId, flowId, { scenario, required, updatedAt: clock.now() })
  await auditByUser(tables, clock, caller, 'scenario.set', flowId, { name, required })
}

const requirePatterns = ({ steps }: Scenario): void => {
  for (const [place, step] of steps.entries())
    for (const { field, message } of patternProblems(step)) throw Problem.field(`steps/${place}/expect/${field}`, message)
}

export const forgetScenario = async (
  tables: Tables,
  clock: Clock,
  caller: UserCaller,
  { flowId, name }: { flowId: string; name: string },
): Promise<void> => {
  const { accountId } = caller
  await lockFlow(tables, accountId, flowId)
  if (!(await tables.scenarios.remove(accountId, flowId, name))) throw new Problem('scenario_not_found')
  await auditByUser(tables, clock, caller, 'scenario.delete', flowId, { name })
}
