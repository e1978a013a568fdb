import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Credentials } from '#core/kernel/ports/store/account.ts'
import type { UserCaller } from '../caller/caller.ts'
import { revokeGrant } from '../tokens/grants.ts'
import { requireStillValid } from './log-in.ts'
import { hasSecondFactor } from '../second-factor/challenge.ts'
import type { Standing } from '../second-factor/prove.ts'
import { issueToken, lifetimes, type Issue } from '../tokens/tokens.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'

/** A token without scopes, valid for half an hour, while a required second factor is missing. */
export const reachOf = (standing: Standing, lifetime: number): Pick<Issue, 'scopes' | 'lifetime'> =>
  standing === 'complete' ? { scopes: ['all'], lifetime } : { scopes: [], lifetime: lifetimes.unfinished }

interface Opening {
  standing: Standing
  /** Program and place of the login, for the user's list of logins. */
  from: { program: string; place: string }
}

export const openSession = async (tables: Tables, clock: Clock, credentials: Credentials, { standing, from }: Opening): Promise<string> => {
  await requireStillValid(tables, credentials)
  const { accountId, userId, subject } = credentials
  const holder = { accountId, userId }
  // A user with a second factor has used it; otherwise there would be no standing.
  const secondFactor = await hasSecondFactor(tables, subject)
  return issueToken(tables, clock, { kind: 'session', holder, subject, secondFactor, ...from, ...reachOf(standing, lifetimes.session) })
}

/** Revokes the token, and for a login or consent also its refresh tokens. */
export const revokeToken = async (tables: Tables, clock: Clock, caller: UserCaller, hash: string): Promise<void> => {
  const token = await tables.tokens.findValid(hash, clock.now())
  await tables.tokens.removeByHash(hash)
  if (token?.grantId !== undefined) await revokeGrant(tables, token.grantId)
  await auditByUser(tables, clock, caller, 'token.revoke', caller.tokenId)
}
