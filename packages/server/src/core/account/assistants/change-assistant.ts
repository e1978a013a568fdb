import { Problem } from '@offhook/contract/problem.ts'
import type { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import { lockFlow } from '../flows/lock-flow.ts'
import type { FlowDeps } from '../flows/change-flow.ts'
import type { UserCaller } from '../identity/caller/caller.ts'
import { auditByUser } from '#core/kernel/audit/audit-by.ts'
import type { AssistantDraft } from '#core/kernel/ports/store/assistant/assistants.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { checkAssistant } from './check-assistant.ts'
import { headersOf, sealSecrets } from './secrets.ts'
import { warningsOf } from './warnings.ts'

interface AssistantInput {
  settings: AssistantSettings
  /** The one that was read. */
  revision?: number
}

/** Writes the draft: everything is set anew but for secrets that are left out. */
export const changeAssistant = async (
  tables: Tables,
  { clock, vault }: Pick<FlowDeps, 'clock' | 'vault'>,
  caller: UserCaller,
  flowId: string,
  input: AssistantInput,
): Promise<{ revision: number; warnings: string[] }> => {
  const { accountId } = caller
  const flow = await lockFlow(tables, accountId, flowId)
  const account = await tables.accounts.find(accountId)
  if (!account) throw new Problem('account_not_found')
  const present = await tables.assistants.draft(accountId, flowId)
  const read = present?.revision ?? 0
  if (input.revision !== undefined && input.revision !== read)
    throw new Problem('conflict', `Somebody else has changed the assistant in the meantime: it is at revision ${read} now.`)
  const checked = await checkAssistant(tables, account, flow, input.settings)
  const settings = sealSecrets(vault, checked, present?.settings)
  requireHeaderValues(settings)
  const revision = read + 1
  await tables.assistants.putDraft(accountId, flowId, { settings, revision, changedAt: clock.now() })
  const { disclosure } = settings
  const detail = disclosure?.mode === 'off' ? { disclosure: 'off', reason: disclosure.reason } : undefined
  await auditByUser(tables, clock, caller, 'assistant.change', flowId, detail)
  return { revision, warnings: warningsOf(checked, present?.settings) }
}

/** One without a value keeps the one that it has; so there has to be one. */
const requireHeaderValues = (settings: AssistantSettings): void => {
  for (const [field, headers] of headersOf(settings))
    for (const [at, { value }] of headers.entries())
      if (value === undefined) throw Problem.field(`${field}/${at}/value`, 'is required: there is none yet that could be kept')
}

export const findDraft = async (tables: Tables, accountId: string, flowId: string): Promise<AssistantDraft> => {
  if (!(await tables.flows.find(accountId, flowId))) throw new Problem('flow_not_found')
  const draft = await tables.assistants.draft(accountId, flowId)
  if (!draft) throw new Problem('assistant_not_set')
  return draft
}
