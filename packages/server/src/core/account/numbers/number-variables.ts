import { requireFittingVariables, type Variables } from '@offhook/contract/assistant/variables.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

/** Replaces the defaults. The audit log has their names only. */
export const setNumberVariables = async (
  tables: Tables,
  clock: Clock,
  caller: UserCaller,
  numberId: string,
  variables: Variables,
): Promise<void> => {
  const { accountId } = caller
  if (!(await tables.numbers.find(accountId, numberId))) throw new Problem('number_not_found')
  requireFittingVariables('variables', variables)
  const names = Object.keys(variables)
  await tables.numbers.setVariables(accountId, numberId, names.length === 0 ? undefined : variables)
  await auditByUser(tables, clock, caller, 'number.variables', numberId, { names })
}
