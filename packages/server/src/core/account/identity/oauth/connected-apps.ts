import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { SubjectRecord } from '#core/kernel/ports/store/identity/oidc-records.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import type { UserCaller } from '../caller/caller.ts'
import { grantModel, revokeGrant } from '../tokens/grants.ts'
import { findApp } from './apps.ts'
import { auditByUser } from '#core/kernel/audit/audit-by.ts'

export interface ConnectedApp {
  /** The hash under which the consent is kept: it names it, and is good for nothing else. */
  grantId: string
  clientId: string
  clientName: string
  scopes: string[]
  createdAt: number
  /** When it last got tokens, as far as one of them is still there. */
  lastUsedAt: number | undefined
}

interface ConnectedDeps {
  store: Store
  clock: Clock
  vault: Vault
}

/** What the identity provider seals of a consent. Its times are seconds. */
interface SealedGrant {
  jti: string
  clientId: string
  iat: number
  openid?: { scope?: string }
}

/** Every consent that the caller has given and not withdrawn. */
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

/** Its tokens of every kind end with it. */
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

/** For each grant the youngest refresh token: each renewal makes a new one. */
const lastUses = (vault: Vault, records: SubjectRecord[]): Map<string, number> => {
  const found = new Map<string, number>()
  for (const { sealed } of records) {
    const { grantId, iat } = JSON.parse(vault.open(sealed)) as { grantId: string; iat: number }
    found.set(grantId, Math.max(found.get(grantId) ?? 0, iat * 1000))
  }
  return found
}
