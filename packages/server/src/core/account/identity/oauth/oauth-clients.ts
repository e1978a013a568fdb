import { randomBytes, randomUUID } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { OauthClient } from '#core/kernel/ports/store/identity/oauth-clients.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { UserCaller } from '../caller/caller.ts'
import { demand } from '../caller/permissions.ts'
import { requireRedirectUris } from './redirect-uris.ts'
import { hashSecret } from '../tokens/tokens.ts'
import { auditByUser } from '#core/kernel/audit/audit-by.ts'

const clientsPerAccount = 50

const newSecret = (): string => randomBytes(32).toString('base64url')

/** The client, when it belongs to the caller or the caller is an administrator of its account. */
export const findOauthClient = async (store: Store, caller: UserCaller, clientId: string): Promise<OauthClient> => {
  const client = await store.read.oauthClients.find(caller.accountId, clientId)
  if (!client) throw new Problem('not_found', 'There is no OAuth client with this id.')
  await demand(store, 'CAN_MANAGE_OAUTH_CLIENTS', caller, client.userId)
  return client
}

export const createOauthClient = async (
  tables: Tables,
  clock: Clock,
  caller: UserCaller,
  { name, redirectUris = [] }: { name: string; redirectUris?: string[] },
): Promise<OauthClient & { clientSecret: string }> => {
  requireRedirectUris(redirectUris)
  const clientSecret = newSecret()
  const client = { clientId: randomUUID(), userId: caller.userId, name, redirectUris, secretHash: hashSecret(clientSecret) }
  // The audit entry comes first: it serialises creations at the same time, so that the count is right.
  await auditByUser(tables, clock, caller, 'oauth_client.create', client.clientId, { name, redirectUris })
  if ((await tables.oauthClients.count(caller.accountId)) >= clientsPerAccount)
    throw new Problem('conflict', `An account has at most ${clientsPerAccount} OAuth clients.`)
  await tables.oauthClients.insert(caller.accountId, client, clock.now())
  return { ...client, clientSecret }
}

export const updateOauthClient = async (
  tables: Tables,
  clock: Clock,
  caller: UserCaller,
  clientId: string,
  change: { name?: string; redirectUris?: string[] },
): Promise<void> => {
  requireRedirectUris(change.redirectUris ?? [])
  await tables.oauthClients.update(caller.accountId, clientId, change)
  await auditByUser(tables, clock, caller, 'oauth_client.update', clientId, change)
}

export const resetOauthClientSecret = async (tables: Tables, clock: Clock, caller: UserCaller, clientId: string): Promise<string> => {
  const clientSecret = newSecret()
  await tables.oauthClients.update(caller.accountId, clientId, { secretHash: hashSecret(clientSecret) })
  await auditByUser(tables, clock, caller, 'oauth_client.reset_secret', clientId)
  return clientSecret
}

/** What users granted it ends with it. */
export const removeOauthClient = async (tables: Tables, clock: Clock, caller: UserCaller, clientId: string): Promise<void> => {
  await tables.oauthClients.remove(caller.accountId, clientId)
  await tables.oidcRecords.removeByClient(clientId)
  await tables.tokens.removeByClient(clientId)
  await tables.leashes.removeByClient(clientId)
  await auditByUser(tables, clock, caller, 'oauth_client.delete', clientId)
}
