import { randomBytes, randomUUID } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { OauthClient } from '#core/kernel/ports/store/identity.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { UserCaller } from '../caller/caller.ts'
import { demand } from '../caller/permissions.ts'
import { hashSecret } from '../tokens/tokens.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'

const clientsPerAccount = 50

const newSecret = (): string => randomBytes(32).toString('base64url')

/** Returns the client if it belongs to the caller, or to the account of a calling administrator. */
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
  // The audit entry comes first: it serialises concurrent creations, so that the count is exact.
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

/** Also revokes all consents of its users. */
export const removeOauthClient = async (tables: Tables, clock: Clock, caller: UserCaller, clientId: string): Promise<void> => {
  await tables.oauthClients.remove(caller.accountId, clientId)
  await tables.oidcRecords.removeByClient(clientId)
  await tables.tokens.removeByClient(clientId)
  await tables.leashes.removeByClient(clientId)
  await auditByUser(tables, clock, caller, 'oauth_client.delete', clientId)
}

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Throws for a redirect URI that must not receive a code. URIs are compared exactly when used. */
export const requireRedirectUris = (uris: readonly string[]): void => {
  for (const [index, uri] of uris.entries()) {
    const problem = problemOf(uri)
    if (problem) throw Problem.field(`redirectUris/${index}`, problem)
  }
}

const problemOf = (uri: string): string | undefined => {
  // Browsers and servers interpret these differently, so they are rejected.
  if (!/^[\x21-\x7e]+$/.test(uri) || uri.includes('\\')) return 'must consist of printable ASCII characters without spaces and backslashes'
  // URIs are compared exactly, so a wildcard would match nothing, or everything where a proxy expands it (RFC 9700 §4.1).
  if (/\*|%2a/i.test(uri)) return 'must not contain a wildcard (*): register each address'
  const url = URL.parse(uri)
  if (!url || !/^https?:\/\/[^/]/i.test(uri)) return 'must be a complete address such as https://example.com/callback'
  if (uri.includes('#')) return 'must not contain a fragment'
  if (url.username !== '' || url.password !== '' || /^https?:\/\/[^/?]*@/i.test(uri)) return 'must not contain a user name'
  if (url.protocol === 'http:' && !loopback.has(url.hostname))
    return 'must use https, or http on this machine (localhost, 127.0.0.1, [::1])'
  return undefined
}
