import type { KoaContextWithOIDC } from 'oidc-provider'
import { isScope, type Scope } from '@offhook/contract/scopes.ts'
import { holdGrant } from '#core/account/identity/tokens/grants.ts'
import { hashSecret, issueToken, lifetimes } from '#core/account/identity/tokens/tokens.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'

/** Fields that existing clients read from a token endpoint, in addition to the tokens. */
export const tokenFields = (grantId: string, scopes: readonly Scope[]) => ({
  token_type: 'bearer',
  expires_in: lifetimes.access,
  refresh_expires_in: lifetimes.refresh,
  session_state: hashSecret(grantId),
  'not-before-policy': 0,
  scope: scopes.join(' '),
})

/** Authentication method (RFC 8176), stored with codes and refresh tokens. */
export const secondFactorShown = 'mfa'

interface ProviderReply {
  refresh_token?: string
  id_token?: string
}

/** Replaces the provider's access token with ours, so that one table and one check serve every kind of login. */
export const replaceAccessToken = async (deps: Pick<HandlerDeps, 'store' | 'clock'>, ctx: KoaContextWithOIDC): Promise<void> => {
  const { AccessToken: token, AuthorizationCode: code, RefreshToken: renewing } = ctx.oidc.entities
  if (token?.grantId === undefined || token.clientId === undefined) throw new Error('a token was given out without a grant')
  const { accountId: subject, clientId, grantId } = token
  const scopes = (token.scope ?? '').split(' ').filter(isScope)
  const { refresh_token, id_token } = ctx.body as ProviderReply
  const secondFactor = (code ?? renewing)?.amr?.includes(secondFactorShown) ?? false
  const access_token = await issueFor(deps, { subject, clientId, grantId, scopes, secondFactor })
  if (access_token === undefined) {
    ctx.status = 400
    ctx.body = { error: 'invalid_grant', error_description: 'the user is gone, or has to log in again with a second factor' }
    return
  }
  ctx.body = { access_token, ...tokenFields(grantId, scopes), refresh_token, ...(id_token !== undefined && { id_token }) }
}

interface Grantee {
  subject: string
  clientId: string
  grantId: string
  scopes: readonly Scope[]
  /** Whether the login before the consent used a second factor. */
  secondFactor: boolean
}

/**
 * If a second use of the code has revoked the grant, the token is void from the start: the same as if the second use
 * had come a moment later.
 */
const issueFor = (
  { store, clock }: Pick<HandlerDeps, 'store' | 'clock'>,
  { subject, clientId, grantId, scopes, secondFactor }: Grantee,
): Promise<string | undefined> =>
  store.write(async (tables) => {
    const stands = await holdGrant(tables, grantId)
    const holder = await tables.users.findBySubject(subject)
    if (!holder) return undefined
    if (!secondFactor && (await tables.accounts.find(holder.accountId))?.secondFactor) return undefined
    const issue = { kind: 'access', holder, subject, clientId, grantId, scopes, secondFactor, lifetime: lifetimes.access } as const
    const token = await issueToken(tables, clock, issue)
    if (!stands) await tables.tokens.removeByGrant(grantId)
    return token
  })
