import { Problem } from '@offhook/contract/problem.ts'
import type { Scenario } from '@offhook/contract/assistant/scenario.ts'
import { stepProblems } from '@offhook/contract/assistant/scenario-patterns.ts'
import { lockFlow } from '../flows/lock-flow.ts'
import type { UserCaller } from '../identity/caller/caller.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

/** Maximum scenarios per flow. Each is limited by the request size of 64 kB. */
const maxScenarios = 500

interface ScenarioInput extends Scenario {
  required?: boolean
}

/** Stores a conversation with a flow; replaces the one with the same name. */
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
  requireUsableSteps(scenario)
  await lockFlow(tables, accountId, flowId)
  const kept = await tables.scenarios.names(accountId, flowId)
  if (kept.length >= maxScenarios && !kept.includes(name)) throw new Problem('conflict', `A flow keeps at most ${maxScenarios} scenarios.`)
  await tables.scenarios.put(accountId, flowId, { scenario, required, updatedAt: clock.now() })
  await auditByUser(tables, clock, caller, 'scenario.set', flowId, { name, required })
}

const requireUsableSteps = ({ steps }: Scenario): void => {
  for (const [place, step] of steps.entries())
    for (const { path, message } of stepProblems(step)) throw Problem.field(['steps', place, ...path].join('/'), message)
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
