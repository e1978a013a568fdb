import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { UserCaller } from '../caller/caller.ts'
import { operatorSubject } from '../tokens/tokens.ts'
import { hasSecondFactor } from './methods.ts'
import { auditByUser } from '#core/kernel/audit/audit-by.ts'

const setting = 'operators.second_factor'

export const operatorsNeedSecondFactor = async (tables: Tables): Promise<boolean> => (await tables.settings.get(setting)) === 'on'

/**
 * A person without one is logged out, and has to set one up at the next login. Who demands it has one, so that one administrator can still
 * get in and take it back.
 */
export const requireOfAccount = async (tables: Tables, clock: Clock, caller: UserCaller, demanded: boolean): Promise<void> => {
  const { accountId, userId } = caller
  await tables.accounts.lock(accountId)
  await tables.accounts.setSecondFactor(accountId, demanded)
  for (const user of demanded ? await tables.users.list(accountId) : []) {
    if (await hasSecondFactor(tables, user.subject)) continue
    if (user.id === userId) throw new Problem('second_factor_not_set')
    await tables.tokens.removeLogins({ accountId, userId: user.id })
    await tables.oidcRecords.removeBySubject(user.subject)
  }
  await auditByUser(tables, clock, caller, 'account.second_factor', accountId, { demanded })
}

export const requireOfOperators = async (tables: Tables, operatorId: string, demanded: boolean): Promise<void> => {
  const [from, to] = demanded ? ['off', 'on'] : ['on', 'off']
  if (!(await tables.settings.setOnce(setting, to))) await tables.settings.replace(setting, { from, to })
  for (const { id } of demanded ? await tables.operators.list() : []) {
    if (await hasSecondFactor(tables, operatorSubject(id))) continue
    if (id === operatorId) throw new Problem('second_factor_not_set')
    await tables.tokens.removeLogins({ operatorId: id })
  }
}
