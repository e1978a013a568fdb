import { Problem } from '@offhook/contract/problem.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

/** For a person who has lost it: removes all factors and all logins. */
export const removeSecondFactorOf = async (tables: Tables, accountId: string, userId: string): Promise<void> => {
  const user = await tables.users.find(accountId, userId)
  if (!user) throw new Problem('user_not_found')
  if (!(await tables.secondFactors.removeAll(user.subject))) throw new Problem('not_found', 'This user has no second factor.')
  await tables.tokens.removeLogins({ accountId, userId })
}
