import type { EventEmitter } from 'node:events'
import type Provider from 'oidc-provider'
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider'
import { authorizationOperations } from '@offhook/contract/v1/authorization.ts'
import { grantableScopes, isScope } from '@offhook/contract/scopes.ts'
import { provideKeys, type ProviderKeys } from '#core/account/identity/oauth/provider-keys.ts'
import { isSecretOf, lifetimes } from '#core/account/identity/tokens/tokens.ts'
import type { HandlerDeps } from '../handler/handler-parts.ts'
import { oidcAdapter } from './adapter.ts'
import { databaseAway } from './oauth-errors.ts'
import { localeOf } from './page.ts'
import { errorPage } from './pages.ts'
import { replaceAccessToken } from './token-reply.ts'

type Library = typeof import('oidc-provider')

const day = 24 * 60 * 60

/** Seconds. A consent ends after a year, however often its tokens were renewed. */
const ttl = {
  AccessToken: lifetimes.access,
  AuthorizationCode: 60,
  Grant: 365 * day,
  IdToken: lifetimes.access,
  Interaction: 30 * 60,
  RefreshToken: lifetimes.refresh,
  Session: day / 2,
}

/** Where the pages of a running login are, for its uid. */
export const interactionPath = (uid: string): string => `/login/interaction/${uid}`

/** Loaded when it is first needed, because most of what a starting service would wait for is in this library. */
export const buildProvider = async (
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'authenticator' | 'installation'>,
  onFailure: (error: unknown) => void,
): Promise<Provider> => {
  const library = await import('oidc-provider')
  const issuer = deps.installation.publicUrl()
  const provider = new library.Provider(issuer, configuration(deps, library, issuer, await provideKeys(deps)))
  provider.proxy = true // so that it takes the scheme from the header that `mount-oauth.ts` sets
  provider.on('server_error', (_ctx, error) => onFailure(error))
  ;(provider as EventEmitter).on('error', onFailure) // of Koa, which the library's types do not mention
  hashClientSecrets(provider)
  provider.use(async (ctx, next) => {
    const mayBeRead = ctx.res.hasHeader('access-control-allow-origin')
    await next()
    if (!mayBeRead) ctx.remove('access-control-allow-origin') // which the provider would grant to every origin
    const { oidc } = ctx as Partial<KoaContextWithOIDC>
    if (ctx.status === 500 && (deps.store.reach?.awayMs ?? 0) > 0) reportAbsent(ctx)
    if (oidc?.route === 'token' && ctx.status === 200) await replaceAccessToken(deps, ctx as KoaContextWithOIDC)
    if (oidc?.route === 'discovery' && ctx.status === 200) Object.assign(ctx.body as object, ownEndpoints(issuer))
  })
  return provider
}

/** The library knows only faults of ours. */
const reportAbsent = (ctx: Pick<KoaContextWithOIDC, 'status' | 'body' | 'set'>): void => {
  const { error, message, status, retryAfter } = databaseAway()
  ctx.status = status
  ctx.set('retry-after', String(retryAfter))
  ctx.body = { error, error_description: message }
}

const secretWays = ['client_secret_basic', 'client_secret_post']

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

/** The store has only hashes of client secrets, and so has the provider. */
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
    const user = await deps.store.read.users.findBySubject(sub)
    return user && { accountId: sub, claims: () => ({ sub }) }
  },
  loadExistingGrant: existingGrant,
  interactions: { policy: policy(interactionPolicy), url: (_ctx, { uid }) => issuer + interactionPath(uid) },
  extraParams: {
    scope: (_ctx, scope) => {
      if (!scope?.split(' ').some(isGrantable)) throw new errors.InvalidScope('scope names nothing that can be granted', scope ?? '')
    },
    // RFC 8707: a token for another service is not ours to give.
    resource: (_ctx, resource) => {
      if (resource !== undefined && !`${resource}/`.startsWith(`${issuer}/`)) throw new errors.InvalidTarget()
    },
  },
  renderError: (ctx, { error, error_description: description }) => {
    if (ctx.accepts('json', 'html') === 'json') ctx.body = { error, error_description: description }
    else {
      const page = errorPage(localeOf(ctx.get('accept-language')), { error, description })
      ctx.set(page.headers)
      ctx.body = page.body
    }
  },
})

/** Which features of the library are used, and which are switched off. */
const protocol = {
  routes: {
    authorization: '/v1/authorization/oauth/authorize',
    token: '/v1/authorization/oauth/token',
    jwks: '/v1/authorization/oauth/jwks',
    registration: '/v1/authorization/oauth/register',
  },
  scopes: [...grantableScopes],
  responseTypes: ['code'],
  clientAuthMethods: ['client_secret_post', 'none'],
  clientDefaults: { id_token_signed_response_alg: 'RS256' },
  enabledJWA: { idTokenSigningAlgValues: ['RS256'] },
  conformIdTokenClaims: false,
  allowOmittingSingleRegisteredRedirectUri: false,
  pkce: { required: (_ctx, client) => client.clientAuthMethod === 'none' },
  issueRefreshToken: async () => true,
  rotateRefreshToken: true,
  expiresWithSession: async () => false,
  clientBasedCORS: () => true, // decided in `cors.ts`
  features: {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    registration: { enabled: true, issueRegistrationAccessToken: false },
    resourceIndicators: { enabled: false }, // there is one resource, this service: see `extraParams`
    rpInitiatedLogout: { enabled: false },
    userinfo: { enabled: false }, // ours serves every kind of token
  },
} satisfies Configuration

const isGrantable = (scope: string): boolean => isScope(scope) && scope !== 'internal'

const cookies = (issuer: string, keys: ProviderKeys): NonNullable<Configuration['cookies']> => {
  const options = { httpOnly: true, sameSite: 'lax', signed: true, secure: issuer.startsWith('https:') } as const
  const names = { session: 'offhook_session', interaction: 'offhook_interaction', resume: 'offhook_resume' }
  return { names, keys: keys.cookies, long: options, short: options }
}

/** What the user has already allowed this client, in this browser session or just now. */
const existingGrant = async ({ oidc }: KoaContextWithOIDC) => {
  const grantId = oidc.result?.consent?.grantId ?? (oidc.client && oidc.session?.grantIdFor(oidc.client.clientId))
  const grant = grantId === undefined ? undefined : await oidc.provider.Grant.find(grantId)
  return grant?.accountId === oidc.account?.accountId ? grant : undefined
}

/** A browser may still be logged in as a user who was disabled; such a session is worth nothing. */
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
