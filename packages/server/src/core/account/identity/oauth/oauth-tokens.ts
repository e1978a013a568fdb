import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { Vault } from '#core/kernel/ports/platform.ts'
import { revokeGrant } from '../tokens/grants.ts'
import { hashSecret } from '../tokens/tokens.ts'

/** A currently valid token that a client got for a user. */
interface OauthToken {
  kind: 'access' | 'refresh'
  clientId: string
  grantId: string
  subject: string
  scope: string
  expiresAt: number
}

/** The identity provider's record of a refresh token. Times are in seconds. */
interface SealedRefreshToken {
  clientId: string
  grantId: string
  accountId: string
  scope?: string
  exp: number
}

/** We issue access tokens and those of a password login; the identity provider issues refresh tokens of the code flow. */
export const findOauthToken = async (
  { store, vault }: { store: Store; vault: Vault },
  token: string,
  now: number,
): Promise<OauthToken | undefined> => (await findOwn(store, token, now)) ?? findRefreshToken(store, vault, token, now)

const findOwn = async ({ read }: Store, token: string, now: number): Promise<OauthToken | undefined> => {
  const found = await read.tokens.findValid(hashSecret(token), now)
  if (!found || (found.kind !== 'access' && found.kind !== 'refresh') || 'operatorId' in found.holder) return undefined
  const { kind, clientId, grantId, scopes, expiresAt, holder } = found
  const user = await read.users.find(holder.accountId, holder.userId)
  if (!user || clientId === undefined || grantId === undefined || expiresAt === undefined) return undefined
  return { kind, clientId, grantId, subject: user.subject, scope: scopes.join(' '), expiresAt }
}

const findRefreshToken = async ({ read }: Store, vault: Vault, token: string, now: number): Promise<OauthToken | undefined> => {
  const record = await read.oidcRecords.find('RefreshToken', hashSecret(token), now)
  if (!record || record.consumedAt !== undefined) return undefined
  const { clientId, grantId, accountId: subject, scope = '', exp } = JSON.parse(vault.open(record.sealed)) as SealedRefreshToken
  if (!(await read.users.findBySubject(subject))) return undefined
  return { kind: 'refresh', clientId, grantId, subject, scope, expiresAt: exp * 1000 }
}

/** Revoking an access token ends only that token; a refresh token ends the whole consent (RFC 7009 §2.1). */
export const revokeOauthToken = async (tables: Tables, token: string, { kind, grantId }: OauthToken): Promise<void> => {
  if (kind === 'access') await tables.tokens.removeByHash(hashSecret(token))
  else await revokeGrant(tables, grantId)
}
