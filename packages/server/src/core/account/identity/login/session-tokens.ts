import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Credentials } from '#core/kernel/ports/store/account/users.ts'
import type { UserCaller } from '../caller/caller.ts'
import { revokeGrant } from '../tokens/grants.ts'
import { requireStillValid } from './log-in.ts'
import type { Standing } from '../second-factor/prove.ts'
import { issueToken, lifetimes, type Issue } from '../tokens/tokens.ts'
import { auditByUser } from '#core/kernel/audit/audit-by.ts'

/** Who has to set up a second factor gets a token without scopes, for half an hour. */
export const reachOf = (standing: Standing, lifetime: number): Pick<Issue, 'scopes' | 'lifetime'> =>
  standing === 'complete' ? { scopes: ['all'], lifetime } : { scopes: [], lifetime: lifetimes.unfinished }

export interface Opening {
  standing: Standing
  /** What logs in and where, for who looks where they are logged in. */
  from: { program: string; place: string }
}

export const openSession = async (tables: Tables, clock: Clock, credentials: Credentials, { standing, from }: Opening): Promise<string> => {
  await requireStillValid(tables, credentials)
  const { accountId, userId, subject } = credentials
  const holder = { accountId, userId }
  return issueToken(tables, clock, { kind: 'session', holder, subject, ...from, ...reachOf(standing, lifetimes.session) })
}

/** Ends the token, and with a token of a login or a consent also what would renew it. */
export const revokeToken = async (tables: Tables, clock: Clock, caller: UserCaller, hash: string): Promise<void> => {
  const token = await tables.tokens.findValid(hash, clock.now())
  await tables.tokens.removeByHash(hash)
  if (token?.grantId !== undefined) await revokeGrant(tables, token.grantId)
  await auditByUser(tables, clock, caller, 'token.revoke', caller.tokenId)
}
