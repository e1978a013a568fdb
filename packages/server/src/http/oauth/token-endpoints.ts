import type { Static } from 'typebox'
import type { TokenState } from '@offhook/contract/v1/authorization.ts'
import { findOauthToken, revokeOauthToken } from '#core/account/identity/oauth/oauth-tokens.ts'
import { isSecretOf } from '#core/account/identity/tokens/tokens.ts'
import type { HandlerDeps } from '../handler/handler-parts.ts'
import { OauthError } from './oauth-errors.ts'
import { required, type Form } from './oauth-form.ts'

/**
 * What clients do with tokens they have. The identity provider's own way takes no token that reads like a JWT, as ours do.
 * Tokens that we do not know are fine: they are as dead as their holder wants them (RFC 7009 §2.2).
 */
export const revokeToken = async (
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'authenticator' | 'installation'>,
  form: Form,
  authorization: string | undefined,
): Promise<void> => {
  const { clientId } = await identifyClient(deps, form, authorization)
  const token = required(form, 'token')
  const found = await findOauthToken(deps, token, deps.clock.now())
  if (!found) return
  if (found.clientId !== clientId) throw new OauthError('invalid_request', 'The token was given to another client.')
  await deps.store.write((tables) => revokeOauthToken(tables, token, found))
  deps.authenticator.forget()
}

export const introspectToken = async (
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'authenticator' | 'installation'>,
  form: Form,
  authorization: string | undefined,
): Promise<Static<typeof TokenState>> => {
  const client = await identifyClient(deps, form, authorization)
  if (!client.isRegistered) throw new OauthError('invalid_client', 'Only registered clients may ask.', { status: 401 })
  const found = await findOauthToken(deps, required(form, 'token'), deps.clock.now())
  if (found?.clientId !== client.clientId) return { active: false }
  const { kind, clientId, subject, scope, expiresAt } = found
  return {
    active: true,
    scope,
    client_id: clientId,
    ...(kind === 'access' && { token_type: 'Bearer' }),
    exp: Math.floor(expiresAt / 1000),
    sub: subject,
    iss: deps.installation.publicUrl(),
  }
}

interface KnownClient {
  clientId: string
  isRegistered: boolean
}

/** Programs of our own, which log in with a password, are not registered and have no secret; for them the token is proof enough. */
const identifyClient = async (
  { store }: Pick<HandlerDeps, 'store'>,
  form: Form,
  authorization: string | undefined,
): Promise<KnownClient> => {
  const { clientId, secret } = inHeader(authorization) ?? { clientId: required(form, 'client_id'), secret: form.client_secret }
  const client = await store.read.oauthClients.findAnywhere(clientId)
  const isRight = client ? secret !== undefined && isSecretOf(client.secretHash, secret) : secret === undefined
  if (!isRight) throw new OauthError('invalid_client', 'The client is unknown, or its secret is wrong.', { status: 401 })
  return { clientId, isRegistered: client !== undefined }
}

/** Basic, with both halves encoded as in a form (RFC 6749 §2.3.1). */
const inHeader = (authorization: string | undefined): { clientId: string; secret: string } | undefined => {
  const [, encoded] = /^basic +([\w+/=-]+)$/i.exec(authorization ?? '') ?? []
  if (encoded === undefined) return undefined
  const pair = Buffer.from(encoded, 'base64').toString()
  const [clientId = '', secret = ''] = pair.split(':', 2).map((half) => new URLSearchParams(`half=${half}`).get('half') ?? '')
  if (clientId.includes('\0')) throw new OauthError('invalid_client', 'The client is unknown.', { status: 401 })
  return { clientId, secret }
}
