import type { Adapter, AdapterPayload } from 'oidc-provider'
import { clientModel, selfRegisteredMs } from '#core/account/identity/oauth/apps.ts'
import { requireRedirectUris } from '#core/account/identity/oauth/redirect-uris.ts'
import { revokeGrant } from '#core/account/identity/tokens/grants.ts'
import { hashSecret } from '#core/account/identity/tokens/tokens.ts'
import type { OauthClient } from '#core/kernel/ports/store/identity/oauth-clients.ts'
import type { StoredOidcRecord } from '#core/kernel/ports/store/identity/oidc-records.ts'
import type { HandlerDeps } from '../handler/handler-parts.ts'

type AdapterDeps = Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'authenticator'>

/** The identity provider's storage: our store and clock. */
export const oidcAdapter =
  (deps: AdapterDeps, { usedTwice, badClient }: AdapterErrors) =>
  (model: string): Adapter => {
    const records = recordAdapter(deps, model, usedTwice)
    if (model === clientModel) return clientAdapter(deps, records, badClient)
    // The access tokens that clients get are ours (see token-reply.ts), so the provider's own are not kept.
    return model === 'AccessToken' ? { ...records, upsert: async () => undefined } : records
  }

interface AdapterErrors {
  /** For a code that was used before. */
  usedTwice: () => Error
  /** For a client that registers itself and cannot be taken. */
  badClient: (why: string) => Error
}

/** Clients that users made are in a table of their own. Others register themselves: they have no secret, so that PKCE protects their codes. */
const clientAdapter = (deps: AdapterDeps, records: Adapter, badClient: AdapterErrors['badClient']): Adapter => ({
  ...records,
  find: async (id) => toMetadata(await findClient(deps, id)) ?? (id.includes('\0') ? undefined : records.find(id)),
  async upsert(id, payload) {
    const { token_endpoint_auth_method: way, redirect_uris: uris, client_name: name = '' } = payload as unknown as RegisteredClient
    if (way !== 'none') throw badClient('token_endpoint_auth_method must be none')
    if (name.length > 100 || uris.length > 10) throw badClient('client_name or redirect_uris is too long')
    try {
      requireRedirectUris(uris)
    } catch (error) {
      throw badClient(error instanceof Error ? error.message : '')
    }
    // What it may ask for is decided by the user each time, not by what it said when it registered.
    const { scope: _asked, ...kept } = payload as AdapterPayload & { scope?: string }
    await records.upsert(id, kept, selfRegisteredMs / 1000)
  },
})

interface RegisteredClient {
  token_endpoint_auth_method: string
  redirect_uris: string[]
  client_name?: string
}

const recordAdapter = ({ store, clock, vault, authenticator }: AdapterDeps, model: string, usedTwice: () => Error): Adapter => {
  const open = ({ sealed, consumedAt }: StoredOidcRecord): AdapterPayload => ({
    ...(JSON.parse(vault.open(sealed)) as AdapterPayload),
    ...(consumedAt !== undefined && { consumed: Math.floor(consumedAt / 1000) }),
  })
  const openIfThere = (record: StoredOidcRecord | undefined) => record && open(record)

  return {
    upsert: (id, payload, expiresIn) =>
      store.write((tables) =>
        tables.oidcRecords.put({
          model,
          idHash: hashSecret(id),
          sealed: vault.seal(JSON.stringify(payload)),
          grantId: payload.grantId,
          uid: payload.uid,
          subject: subjectOf(payload),
          clientId: payload.clientId,
          expiresAt: expiresIn === undefined ? undefined : clock.now() + expiresIn * 1000,
        }),
      ),

    find: async (id) => openIfThere(await store.read.oidcRecords.find(model, hashSecret(id), clock.now())),
    findByUid: async (uid) => openIfThere(await store.read.oidcRecords.findByUid(model, uid, clock.now())),
    findByUserCode: async () => undefined,

    /** Of several that come at once only one gets through, and the others end what that one was given (RFC 6749 §4.1.2). */
    async consume(id) {
      const first = await store.write(async (tables) => {
        if (await tables.oidcRecords.consume(model, hashSecret(id), clock.now())) return true
        const record = openIfThere(await tables.oidcRecords.find(model, hashSecret(id), clock.now()))
        if (record?.grantId !== undefined) await revokeGrant(tables, record.grantId)
        return false
      })
      if (first) return
      authenticator.forget()
      throw usedTwice()
    },

    destroy: (id) => store.write((tables) => tables.oidcRecords.remove(model, hashSecret(id))),

    async revokeByGrantId(grantId) {
      await store.write((tables) => revokeGrant(tables, grantId))
      authenticator.forget()
    },
  }
}

/** The subject of a record. A login that is not yet completed belongs to its user as well, and ends with the user's other logins. */
const subjectOf = ({ accountId, result, session }: AdapterPayload): string | undefined =>
  accountId ?? result?.login?.accountId ?? session?.accountId

/** PostgreSQL cannot compare with a NUL, and no client's id has one. */
const findClient = async ({ store }: AdapterDeps, id: string): Promise<OauthClient | undefined> =>
  id.includes('\0') ? undefined : store.read.oauthClients.findAnywhere(id)

/** Without a redirect URI there is nowhere to send a code, so nothing can be asked for. */
const toMetadata = (client: OauthClient | undefined): AdapterPayload | undefined =>
  client && {
    client_id: client.clientId,
    client_name: client.name,
    client_secret: client.secretHash,
    redirect_uris: client.redirectUris,
    response_types: client.redirectUris.length > 0 ? ['code'] : [],
    response_modes: ['query'],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'client_secret_post',
  }
