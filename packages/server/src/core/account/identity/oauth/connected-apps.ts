import { Problem } from '@offhook/contract/problem.ts'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { SubjectRecord } from '#core/kernel/ports/store/identity.ts'
import type { UserCaller } from '../caller/caller.ts'
import { grantModel, revokeGrant } from '../tokens/grants.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import { hashSecret } from '../tokens/tokens.ts'

export interface ConnectedApp {
  /** Hash that identifies the consent and is useless otherwise. */
  grantId: string
  clientId: string
  clientName: string
  scopes: string[]
  createdAt: number
  /** Time of the last token issue, if one of those tokens still exists. */
  lastUsedAt: number | undefined
}

interface ConnectedDeps {
  store: Store
  clock: Clock
  vault: Vault
}

/** The identity provider's record of a consent. Times are in seconds. */
interface SealedGrant {
  jti: string
  clientId: string
  iat: number
  openid?: { scope?: string }
}

/** All consents that the caller has given and not withdrawn. */
export const listConnectedApps = async (deps: ConnectedDeps, caller: UserCaller): Promise<ConnectedApp[]> => {
  const { store, clock, vault } = deps
  const now = clock.now()
  const subject = await subjectOf(store.read, caller)
  const grants = await store.read.oidcRecords.listBySubject(grantModel, subject, now)
  const lastUse = lastUses(vault, await store.read.oidcRecords.listBySubject('RefreshToken', subject, now))
  const apps = await Promise.all(
    grants.map(async ({ idHash, sealed }) => {
      const { jti, clientId, iat, openid } = JSON.parse(vault.open(sealed)) as SealedGrant
      const client = await findApp(store.read, deps, clientId)
      const scopes = (openid?.scope ?? '').split(' ').filter((scope) => scope !== '')
      return client && { grantId: idHash, clientId, clientName: client.name, scopes, createdAt: iat * 1000, lastUsedAt: lastUse.get(jti) }
    }),
  )
  return apps.filter((app) => app !== undefined).toSorted((one, other) => other.createdAt - one.createdAt)
}

/** Also revokes all tokens of the consent. */
export const withdrawConsent = async (tables: Tables, { vault, clock }: ConnectedDeps, caller: UserCaller, id: string): Promise<void> => {
  const grants = await tables.oidcRecords.listBySubject(grantModel, await subjectOf(tables, caller), clock.now())
  const found = grants.find(({ idHash }) => idHash === id)
  if (!found) throw new Problem('grant_not_found')
  const { jti, clientId } = JSON.parse(vault.open(found.sealed)) as SealedGrant
  await revokeGrant(tables, jti)
  await auditByUser(tables, clock, caller, 'oauth_client.withdraw', clientId)
}

const subjectOf = async (tables: Pick<Tables, 'users'>, { accountId, userId }: UserCaller): Promise<string> => {
  const user = await tables.users.find(accountId, userId)
  if (!user) throw new Problem('invalid_token')
  return user.subject
}

/** The newest refresh token of each grant: each renewal creates a new one. */
const lastUses = (vault: Vault, records: SubjectRecord[]): Map<string, number> => {
  const found = new Map<string, number>()
  for (const { sealed } of records) {
    const { grantId, iat } = JSON.parse(vault.open(sealed)) as { grantId: string; iat: number }
    found.set(grantId, Math.max(found.get(grantId) ?? 0, iat * 1000))
  }
  return found
}

/** The identity provider's model name of a self-registered client. */
export const clientModel = 'Client'

/** Milliseconds that a self-registered client is stored after a user's last consent, and without any consent. */
const consentedMs = 180 * 24 * 60 * 60 * 1000
export const unconsentedMs = 60 * 60 * 1000

/** Maximum stored clients without a consent. Beyond it the oldest is removed, so that a flood cannot keep others out. */
export const maxUnconsented = 1_000

/** A program that acts for users: created by a user, or self-registered, as MCP clients do (RFC 7591). */
interface App {
  clientId: string
  name: string
  selfRegistered: boolean
  /** Undefined for public clients. */
  secretHash: string | undefined
}

export const findApp = async (
  tables: Pick<Tables, 'oauthClients' | 'oidcRecords'>,
  { clock, vault }: { clock: Clock; vault: Vault },
  clientId: string,
): Promise<App | undefined> => {
  const client = await tables.oauthClients.findAnywhere(clientId)
  if (client) return { clientId, name: client.name, selfRegistered: false, secretHash: client.secretHash }
  const record = await tables.oidcRecords.find(clientModel, hashSecret(clientId), clock.now())
  if (!record) return undefined
  const { client_name: name = '', client_secret: secretHash } = JSON.parse(vault.open(record.sealed)) as SealedClient
  return { clientId, name, selfRegistered: true, secretHash }
}

/** Part of the transaction in which a user consents: keeps the client from now on. */
export const keepApp = ({ oidcRecords }: Pick<Tables, 'oidcRecords'>, clock: Clock, clientId: string): Promise<void> =>
  oidcRecords.extend(clientModel, hashSecret(clientId), clock.now() + consentedMs)

/** A self-registered client as stored: only the hash of its secret. */
interface SealedClient {
  client_name?: string
  client_secret?: string
}
