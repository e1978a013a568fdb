import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '../ports/clock.ts'
import type { Tables } from '../ports/store/index.ts'

/** Nobody logs in any more, every token is void, and its numbers no longer ring anywhere and can be given to others. */
export const closeAccount = async (tables: Tables, clock: Clock, accountId: string): Promise<void> => {
  const at = clock.now()
  await tables.accounts.lock(accountId)
  const users = await tables.users.list(accountId)
  if (!(await tables.accounts.close(accountId, at))) throw new Problem('account_not_found')
  for (const { id } of users) {
    await tables.tokens.removeByUser(accountId, id)
    await tables.users.disable(accountId, id, at)
  }
  for (const { id, state } of await tables.numbers.list(accountId)) {
    if (state === 'ACTIVE' || state === 'ADDRESS_PENDING') await tables.numbers.setState(accountId, id, 'DEACTIVATED')
  }
}
