import { grantableScopes, type Scope } from '@offhook/contract/scopes.ts'
import { findApp } from '#core/account/identity/oauth/connected-apps.ts'
import { requireStillValid, verifyUser, type Login } from '#core/account/identity/login/log-in.ts'
import { hasSecondFactor, personOfUser } from '#core/account/identity/second-factor/challenge.ts'
import { issuePair, renewPair, type TokenPair } from '#core/account/identity/tokens/token-pairs.ts'
import type { Credentials } from '#core/kernel/ports/store/account.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { OauthError } from './oauth-errors.ts'
import { tokenFields } from './token-reply.ts'

type Visitor = Pick<Login, 'ip' | 'marks'>

/** Token endpoint for our own programs, which ask their user for the password (RFC 6749 §4.3). */
export const passwordLogin = async (
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'passwords' | 'authenticator' | 'installation'>,
  form: Form,
  visitor: Visitor,
) => {
  if (!deps.installation.passwordGrant) throw new OauthError('unsupported_grant_type', 'Logging in with a password is switched off here.')
  const clientId = required(form, 'client_id')
  const grantType = required(form, 'grant_type')
  // Users of a registered client did not choose to trust it with their password.
  if (await findApp(deps.store.read, deps, clientId))
    throw new OauthError('unauthorized_client', 'This client must send its users to the authorize operation.')
  if (grantType === 'password') return toReply(await withPassword(deps, clientId, form, visitor))
  if (grantType === 'refresh_token') return toReply(await withRefreshToken(deps, clientId, form))
  throw new OauthError('unsupported_grant_type', 'grant_type must be password or refresh_token.')
}

const withPassword = async (
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'passwords' | 'authenticator' | 'installation'>,
  clientId: string,
  form: Form,
  visitor: Visitor,
): Promise<TokenPair> => {
  const login = { username: required(form, 'username'), password: required(form, 'password'), ...visitor }
  const scopes = scopesOf(form)
  const credentials = await verifyUser(deps, login)
  const { accountId, userId, subject } = credentials
  await refuseTwoFactors(deps, credentials)
  return deps.store.write(async (tables) => {
    await requireStillValid(tables, credentials)
    return issuePair(tables, deps.clock, { holder: { accountId, userId }, subject, clientId, scopes })
  })
}

/** The password grant cannot ask for a second factor. */
const refuseTwoFactors = async ({ store }: Pick<HandlerDeps, 'store'>, credentials: Credentials): Promise<void> => {
  const { demanded } = await personOfUser(store.read, credentials, '')
  if (demanded || (await hasSecondFactor(store.read, credentials.subject)))
    throw new OauthError(
      'invalid_grant',
      'This user logs in with a second factor: use the authorize operation, or a personal access token.',
    )
}

const withRefreshToken = async (
  { store, clock, authenticator }: Pick<HandlerDeps, 'store' | 'clock' | 'authenticator'>,
  clientId: string,
  form: Form,
): Promise<TokenPair> => {
  const refreshToken = required(form, 'refresh_token')
  const pair = await store.write((tables) => renewPair(tables, clock, refreshToken, clientId))
  if (pair) return pair
  authenticator.forget() // a reused token may have ended its login
  throw new OauthError('invalid_grant', 'The refresh token is not valid.')
}

const scopesOf = ({ scope = '' }: Form): Scope[] => {
  const words = scope.split(' ').filter((word) => word !== '')
  if (words.length === 0) return ['all']
  return words.map((word) => {
    const known = grantableScopes.find((one) => one === word)
    if (!known) throw new OauthError('invalid_scope', `There is no scope ${word}.`)
    return known
  })
}

const toReply = ({ access, refresh, grantId, scopes }: TokenPair) => ({
  token: access,
  access_token: access,
  refresh_token: refresh,
  ...tokenFields(grantId, scopes),
})

export type Form = Record<string, string>

export const required = (form: Form, name: string): string => {
  const value = form[name]
  if (value === undefined || value === '') throw new OauthError('invalid_request', `${name} is required.`)
  return value
}
