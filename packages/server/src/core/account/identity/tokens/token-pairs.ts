import { randomUUID } from 'node:crypto'
import type { Scope } from '@offhook/contract/scopes.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { hashSecret, issueToken, lifetimes } from './tokens.ts'

/** An access token and its refresh token, as issued for a login without a browser. */
export interface TokenPair {
  access: string
  refresh: string
  grantId: string
  scopes: readonly Scope[]
}

interface PairFor {
  holder: { accountId: string; userId: string }
  subject: string
  clientId: string
  scopes: readonly Scope[]
  grantId?: string
}

export const issuePair = async (tables: Tables, clock: Clock, { grantId = randomUUID(), ...rest }: PairFor): Promise<TokenPair> => {
  const issue = { ...rest, grantId }
  const access = await issueToken(tables, clock, { ...issue, kind: 'access', lifetime: lifetimes.access })
  const refresh = await issueToken(tables, clock, { ...issue, kind: 'refresh', lifetime: lifetimes.refresh })
  return { access, refresh, grantId, scopes: rest.scopes }
}

/**
 * Exchanges a refresh token for a new pair and spends it. A token used twice was stolen by or from its owner, and we
 * cannot know which: all tokens of that login are revoked. Undefined when the token is invalid.
 */
export const renewPair = async (tables: Tables, clock: Clock, refreshToken: string, clientId: string): Promise<TokenPair | undefined> => {
  const now = clock.now()
  const token = await tables.tokens.findValid(hashSecret(refreshToken), now)
  if (token?.secondFactorDemanded && !token.secondFactor) return undefined
  if (token?.kind !== 'refresh' || token.clientId !== clientId || token.grantId === undefined || 'operatorId' in token.holder)
    return undefined
  const user = await tables.users.hold(token.holder.accountId, token.holder.userId) // before the token: the lock order of a password change
  if (!(await tables.tokens.spend(token.id, now))) {
    await tables.tokens.removeByGrant(token.grantId)
    return undefined
  }
  if (!user) return undefined
  const { accountId, userId, subject } = user
  return issuePair(tables, clock, {
    holder: { accountId, userId },
    subject,
    clientId,
    scopes: token.scopes,
    grantId: token.grantId,
  })
}
