import { Problem } from '@offhook/contract/problem.ts'
import { withAssistant } from '#core/account/assistants/assistant-flow.ts'
import type { TestedFlow } from '#core/kernel/ports/assistant/scenario-runner.ts'
import type { StoredTestRun } from '#core/kernel/ports/store/assistant/scenarios.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

/** Who is asked: what answers calls now, what is being written, or a version. */
export interface EndpointInput {
  draft?: boolean
  version?: number
}

/** The flow as the sessions of a test have it. Throws when there is nobody who could answer. */
export const testedFlow = async (
  tables: Tables,
  accountId: string,
  flowId: string,
  { draft = false, version }: EndpointInput,
): Promise<{ tested: TestedFlow; choice: StoredTestRun['choice'] }> => {
  const flow = await tables.flows.find(accountId, flowId)
  if (!flow) throw new Problem('flow_not_found')
  if (draft && version !== undefined) throw Problem.field('version', 'does not go with draft: either of them is asked')
  const choice = draft ? 'draft' : (version ?? (await stableOf(tables, accountId, flowId, flow.settings.endpoint === 'assistant')))
  if (choice === undefined) {
    const { webhookUrl, websocketUrl } = flow.settings
    if (webhookUrl === undefined && websocketUrl === undefined) throw new Problem('endpoint_not_set')
  } else await requireVersion(tables, accountId, flowId, choice)
  return { tested: { accountId, flow: withAssistant(flow, accountId, choice) }, choice: draft ? 'draft' : version }
}

const stableOf = async ({ assistants }: Tables, accountId: string, flowId: string, isAssistant: boolean): Promise<number | undefined> => {
  if (!isAssistant) return undefined
  const rollout = await assistants.rollout(accountId, flowId)
  if (!rollout) throw new Problem('assistant_not_set')
  return rollout.stable
}

const requireVersion = async ({ assistants }: Tables, accountId: string, flowId: string, choice: 'draft' | number): Promise<void> => {
  if (choice === 'draft') {
    if (!(await assistants.draft(accountId, flowId))) throw new Problem('assistant_not_set')
  } else if (!(await assistants.version(accountId, flowId, choice))) throw new Problem('assistant_version_not_found')
}
