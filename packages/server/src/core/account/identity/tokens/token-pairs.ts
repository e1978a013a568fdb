import { randomUUID } from 'node:crypto'
import type { Scope } from '@offhook/contract/scopes.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { hashSecret, issueToken, lifetimes } from './tokens.ts'

/** An access token and what renews it, as a login without a browser gives them. */
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
 * A new pair for a refresh token, which is spent by this. One that comes back was stolen from its owner or by its owner's thief, and we
 * cannot know which: all tokens of that login end. Undefined when the token is good for nothing.
 */
export const renewPair = async (tables: Tables, clock: Clock, refreshToken: string, clientId: string): Promise<TokenPair | undefined> => {
  const now = clock.now()
  const token = await tables.tokens.findValid(hashSecret(refreshToken), now)
  if (token?.kind !== 'refresh' || token.clientId !== clientId || token.grantId === undefined || 'operatorId' in token.holder)
    return undefined
  const user = await tables.users.hold(token.holder.accountId, token.holder.userId) // before the token: a password change takes this order
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
