import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import { revokeGrant } from '../tokens/grants.ts'
import { hashSecret } from '../tokens/tokens.ts'

/** A token that a client got for a user, and that is valid now. */
export interface OauthToken {
  kind: 'access' | 'refresh'
  clientId: string
  grantId: string
  subject: string
  scope: string
  expiresAt: number
}

/** What the identity provider seals of a refresh token. Its times are seconds. */
interface SealedRefreshToken {
  clientId: string
  grantId: string
  accountId: string
  scope?: string
  exp: number
}

/** Access tokens and those of a password login are ours, refresh tokens of the code flow are the identity provider's. */
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

/** An access token ends alone; a refresh token stands for the consent, and everything of that ends (RFC 7009 §2.1). */
export const revokeOauthToken = async (tables: Tables, token: string, { kind, grantId }: OauthToken): Promise<void> => {
  if (kind === 'access') await tables.tokens.removeByHash(hashSecret(token))
  else await revokeGrant(tables, grantId)
}
