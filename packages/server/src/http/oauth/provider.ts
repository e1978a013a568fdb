import type { EventEmitter } from 'node:events'
import type Provider from 'oidc-provider'
import type { Configuration, KoaContextWithOIDC, Adapter, AdapterPayload } from 'oidc-provider'
import { authorizationOperations } from '@offhook/contract/v1/authorization.ts'
import { grantableScopes, isScope } from '@offhook/contract/scopes.ts'
import { provideKeys, type ProviderKeys } from '#core/account/identity/oauth/provider-keys.ts'
import { isSecretOf, lifetimes, hashSecret } from '#core/account/identity/tokens/tokens.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { databaseAway } from './oauth-errors.ts'
import { localeOf } from './page.ts'
import { errorPage } from './pages.ts'
import { replaceAccessToken } from './token-reply.ts'
import { clientModel, maxUnconsented, unconsentedMs } from '#core/account/identity/oauth/connected-apps.ts'
import { claimsByScope, claimsOf } from '#core/account/identity/oauth/openid-user-info.ts'
import { requireRedirectUris } from '#core/account/identity/oauth/oauth-clients.ts'
import { revokeGrant } from '#core/account/identity/tokens/grants.ts'
import type { OauthClient, StoredOidcRecord } from '#core/kernel/ports/store/identity.ts'

type Library = typeof import('oidc-provider')

const day = 24 * 60 * 60

/** Seconds. A consent ends after a year, regardless of token renewals. */
const ttl = {
  AccessToken: lifetimes.access,
  AuthorizationCode: 60,
  Grant: 365 * day,
  IdToken: lifetimes.access,
  Interaction: 30 * 60,
  RefreshToken: lifetimes.refresh,
  Session: day / 2,
}

/** Address of the pages of a running login, by its uid. */
export const interactionPath = (uid: string): string => `/login/interaction/${uid}`

/** Loaded on first use, because this library accounts for most of the start-up time. */
export const buildProvider = async (
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'authenticator' | 'installation'>,
  onFailure: (error: unknown) => void,
): Promise<Provider> => {
  const library = await import('oidc-provider')
  const issuer = deps.installation.publicUrl()
  const provider = new library.Provider(issuer, configuration(deps, library, issuer, await provideKeys(deps)))
  provider.proxy = true // makes it take the scheme from the header that `mount-oauth.ts` sets
  provider.on('server_error', (_ctx, error) => onFailure(error))
  ;(provider as EventEmitter).on('error', onFailure) // an event of Koa, missing in the library's types
  hashClientSecrets(provider)
  provider.use(async (ctx, next) => {
    const mayBeRead = ctx.res.hasHeader('access-control-allow-origin')
    await next()
    if (!mayBeRead) ctx.remove('access-control-allow-origin') // the provider would grant it to every origin
    const { oidc } = ctx as Partial<KoaContextWithOIDC>
    if (ctx.status === 500 && (deps.store.reach?.awayMs ?? 0) > 0) reportAbsent(ctx)
    if (oidc?.route === 'token' && ctx.status === 200) await replaceAccessToken(deps, ctx as KoaContextWithOIDC)
    if (oidc?.route === 'discovery' && ctx.status === 200) Object.assign(ctx.body as object, ownEndpoints(issuer))
  })
  return provider
}

/** The library itself only knows internal errors. */
const reportAbsent = (ctx: Pick<KoaContextWithOIDC, 'status' | 'body' | 'set'>): void => {
  const { error, message, status, retryAfter } = databaseAway()
  ctx.status = status
  ctx.set('retry-after', String(retryAfter))
  ctx.body = { error, error_description: message }
}

const secretWays = ['client_secret_basic', 'client_secret_post'] as const

/** Endpoints that we serve ourselves, because the tokens are ours. */
const ownEndpoints = (issuer: string) => ({
  response_modes_supported: ['query'],
  claims_supported: ['sub', 'iss', 'locale', 'zoneinfo', 'name', 'given_name', 'family_name', 'email'],
  token_endpoint_auth_methods_supported: [...secretWays, 'none'],
  userinfo_endpoint: issuer + authorizationOperations.getOpenidUserInfo.path,
  revocation_endpoint: issuer + authorizationOperations.revokeToken.path,
  revocation_endpoint_auth_methods_supported: secretWays,
  introspection_endpoint: issuer + authorizationOperations.introspectToken.path,
  introspection_endpoint_auth_methods_supported: secretWays,
})

/** The store and the provider have only hashes of client secrets. */
const hashClientSecrets = (provider: Provider): void => {
  provider.Client.prototype.compareClientSecret = function compare(actual) {
    return isSecretOf(this.clientSecret ?? '', actual)
  }
}

const configuration = (
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'authenticator' | 'installation'>,
  { errors, interactionPolicy }: Library,
  issuer: string,
  keys: ProviderKeys,
): Configuration => ({
  ...protocol,
  ttl,
  adapter: oidcAdapter(deps, {
    usedTwice: () => new errors.InvalidGrant('already used'),
    badClient: (why) => new errors.InvalidClientMetadata(why),
  }),
  jwks: { keys: keys.signing as unknown as NonNullable<Configuration['jwks']>['keys'] },
  cookies: cookies(issuer, keys),
  findAccount: async (_ctx, sub) => {
    const { users } = deps.store.read
    const holder = await users.findBySubject(sub)
    const user = holder && (await users.find(holder.accountId, holder.userId))
    return user && { accountId: sub, claims: () => claimsOf(user) }
  },
  loadExistingGrant: existingGrant,
  interactions: { policy: policy(interactionPolicy), url: (_ctx, { uid }) => issuer + interactionPath(uid) },
  extraParams: {
    scope: (_ctx, scope) => {
      if (!scope?.split(' ').some(isGrantable)) throw new errors.InvalidScope('scope names nothing that can be granted', scope ?? '')
    },
    // RFC 8707: rejects tokens for another service.
    resource: (_ctx, resource) => {
      if (resource !== undefined && !`${resource}/`.startsWith(`${issuer}/`)) throw new errors.InvalidTarget()
    },
  },
  renderError: (ctx, { error, error_description }) => {
    const description = (ctx as Partial<KoaContextWithOIDC>).oidc?.client?.redirectUris?.length === 0 ? noRedirectUri : error_description
    if (ctx.accepts('json', 'html') === 'json') ctx.body = { error, error_description: description }
    else {
      const page = errorPage(localeOf(ctx.get('accept-language')), { error, description })
      ctx.set(page.headers)
      ctx.body = page.body
    }
  },
})

const noRedirectUri =
  'The client has no redirect address. Add one to its redirectUris: PUT /v1/authorization/oauth/clients/{clientId}, or in the console.'

/** Enabled and disabled features of the library. */
const protocol = {
  routes: {
    authorization: '/v1/authorization/oauth/authorize',
    token: '/v1/authorization/oauth/token',
    jwks: '/v1/authorization/oauth/jwks',
    registration: '/v1/authorization/oauth/register',
  },
  scopes: [...grantableScopes],
  claims: claimsByScope,
  responseTypes: ['code'],
  clientAuthMethods: [...secretWays, 'none'],
  clientDefaults: { id_token_signed_response_alg: 'RS256' },
  enabledJWA: { idTokenSigningAlgValues: ['RS256'] },
  conformIdTokenClaims: false,
  allowOmittingSingleRegisteredRedirectUri: false,
  pkce: { required: (_ctx, client) => client.clientAuthMethod === 'none' },
  issueRefreshToken: async () => true,
  rotateRefreshToken: true,
  expiresWithSession: async () => false,
  // Client metadata may contain addresses; none of them is fetched.
  fetch: () => Promise.reject(new Error('the identity provider fetches nothing')),
  clientBasedCORS: () => true, // decided in `cors.ts`
  features: {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    registration: { enabled: true, issueRegistrationAccessToken: false },
    resourceIndicators: { enabled: false }, // there is one resource, this service: see `extraParams`
    rpInitiatedLogout: { enabled: false },
    userinfo: { enabled: false }, // our endpoint serves every kind of token
  },
} satisfies Configuration

const isGrantable = (scope: string): boolean => isScope(scope) && scope !== 'internal'

const cookies = (issuer: string, keys: ProviderKeys): NonNullable<Configuration['cookies']> => {
  const options = { httpOnly: true, sameSite: 'lax', signed: true, secure: issuer.startsWith('https:') } as const
  const names = { session: 'offhook_session', interaction: 'offhook_interaction', resume: 'offhook_resume' }
  return { names, keys: keys.cookies, long: options, short: options }
}

/** Existing consent of the user to this client, in this browser session or given just now. */
const existingGrant = async ({ oidc }: KoaContextWithOIDC) => {
  const grantId = oidc.result?.consent?.grantId ?? (oidc.client && oidc.session?.grantIdFor(oidc.client.clientId))
  const grant = grantId === undefined ? undefined : await oidc.provider.Grant.find(grantId)
  return grant?.accountId === oidc.account?.accountId ? grant : undefined
}

/** A browser may still be logged in as a disabled user; such a session is void. */
const policy = ({ base, Check }: Library['interactionPolicy']) => {
  const prompts = base()
  const gone = new Check(
    'account_gone',
    'the user no longer exists',
    (ctx) => ctx.oidc.session?.accountId !== undefined && !ctx.oidc.account,
  )
  prompts.get('login')?.checks.add(gone)
  return prompts
}

type AdapterDeps = Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'authenticator'>

/** Storage adapter of the identity provider, on our store and clock. */
const oidcAdapter =
  (deps: AdapterDeps, { usedTwice, badClient }: AdapterErrors) =>
  (model: string): Adapter => {
    const records = recordAdapter(deps, model, usedTwice)
    if (model === clientModel) return clientAdapter(deps, records, badClient)
    // Clients get our access tokens (see token-reply.ts), so the provider's own are not stored.
    return model === 'AccessToken' ? { ...records, upsert: async () => undefined } : records
  }

interface AdapterErrors {
  /** Error for a code that was used before. */
  usedTwice: () => Error
  /** Error for a rejected self-registration. */
  badClient: (why: string) => Error
}

/** Clients created by users are in a separate table. Others register themselves (RFC 7591) and are kept once a user has consented. */
const clientAdapter = (deps: AdapterDeps, records: Adapter, badClient: AdapterErrors['badClient']): Adapter => ({
  ...records,
  find: async (id) => toMetadata(await findClient(deps, id)) ?? (id.includes('\0') ? undefined : records.find(id)),
  async upsert(id, payload) {
    const client = keptMetadata(payload as unknown as RegisteredClient)
    if ((client.client_name ?? '').length > 100 || client.redirect_uris.length > 10)
      throw badClient('client_name or redirect_uris is too long')
    if (JSON.stringify(client).length > maxClientLength) throw badClient(`the metadata is longer than ${maxClientLength} characters`)
    try {
      requireRedirectUris(client.redirect_uris)
    } catch (error) {
      throw badClient(error instanceof Error ? error.message : '')
    }
    await records.upsert(id, client as unknown as AdapterPayload, unconsentedMs / 1000)
    await deps.store.write(({ oidcRecords }) => oidcRecords.keepNewest(clientModel, maxUnconsented, deps.clock.now() + unconsentedMs))
  },
})

const maxClientLength = 8_000

interface RegisteredClient {
  client_id: string
  client_id_issued_at: number
  redirect_uris: string[]
  client_name?: string
  client_secret?: string
  token_endpoint_auth_method: string
  application_type: string
  grant_types: string[]
  response_types: string[]
}

/** Metadata that is used. Excludes scopes: the user decides on them each time. */
const keptMetadata = (client: RegisteredClient): RegisteredClient => ({
  client_id: client.client_id,
  client_id_issued_at: client.client_id_issued_at,
  redirect_uris: client.redirect_uris,
  token_endpoint_auth_method: client.token_endpoint_auth_method,
  application_type: client.application_type,
  grant_types: client.grant_types,
  response_types: client.response_types,
  ...(client.client_name !== undefined && { client_name: client.client_name }),
  ...(client.client_secret !== undefined && { client_secret: hashSecret(client.client_secret) }),
})

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

    /** Only the first use succeeds; any further use revokes everything issued for it (RFC 6749 §4.1.2). */
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

/** Subject of a record. An unfinished login belongs to its user as well, and ends with the user's other logins. */
const subjectOf = ({ accountId, result, session }: AdapterPayload): string | undefined =>
  accountId ?? result?.login?.accountId ?? session?.accountId

/** PostgreSQL rejects a NUL in a comparison, and no client id has one. */
const findClient = async ({ store }: AdapterDeps, id: string): Promise<OauthClient | undefined> =>
  id.includes('\0') ? undefined : store.read.oauthClients.findAnywhere(id)

/** Without a redirect URI there is no address for a code, so no response type is allowed. */
const toMetadata = (client: OauthClient | undefined): AdapterPayload | undefined =>
  client && {
    client_id: client.clientId,
    client_name: client.name,
    client_secret: client.secretHash,
    redirect_uris: client.redirectUris,
    response_types: client.redirectUris.length > 0 ? ['code'] : [],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'client_secret_post',
  }
