import { Problem } from '@offhook/contract/problem.ts'
import type { Scope } from '@offhook/contract/scopes.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { UserCaller } from '../caller/caller.ts'
import { issuePersonalToken } from './tokens.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'

const tokensPerUser = 50

export const createPersonalToken = async (
  tables: Tables,
  clock: Clock,
  caller: UserCaller,
  { name, scopes }: { name: string; scopes: readonly Scope[] },
): Promise<{ tokenId: string; token: string }> => {
  const { accountId, userId, secondFactor = false } = caller
  const made = await issuePersonalToken(tables, clock, { holder: { accountId, userId }, name, scopes, secondFactor })
  // The audit entry serialises concurrent creations, so that the count is exact.
  await auditByUser(tables, clock, caller, 'personal_token.create', made.tokenId, { name, scopes })
  if ((await tables.tokens.listPersonal(accountId, userId)).length > tokensPerUser)
    throw new Problem('conflict', `A user has at most ${tokensPerUser} personal access tokens.`)
  return made
}

export const removePersonalToken = async (tables: Tables, clock: Clock, caller: UserCaller, tokenId: string): Promise<void> => {
  const removed = await tables.tokens.removePersonal(caller.accountId, caller.userId, tokenId)
  if (!removed) throw new Problem('not_found', 'There is no personal access token with this id.')
  await tables.leashes.remove(caller.accountId, caller.userId, tokenId)
  await auditByUser(tables, clock, caller, 'personal_token.delete', tokenId)
}
