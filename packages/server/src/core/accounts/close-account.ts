import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '../ports/clock.ts'
import type { Tables } from '../ports/store/index.ts'
import type { AccountNumber } from '../ports/store/numbers.ts'

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
  for (const number of await tables.numbers.list(accountId)) await retire(tables, number)
}

const retire = async (tables: Tables, { accountId, id, state }: AccountNumber): Promise<void> => {
  if (state === 'PORTING_IN' || (await tables.portings.isLeaving(id)))
    throw new Problem('conflict', 'A number of the account is being ported; finish or cancel that first.')
  if (state === 'ACTIVE' || state === 'ADDRESS_PENDING') await tables.numbers.setState(accountId, id, 'DEACTIVATED')
}
