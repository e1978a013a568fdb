import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { grantableScopes, scopes } from '../scopes.ts'
import { LoginReply, secondFactorAnswer } from '../second-factor.ts'
import { Input, Items, OneOf, Output, RequiredText, Timestamp } from '../values.ts'
import { leashOperations } from './authorization/leashes.ts'
import { loginSessionOperations } from './authorization/sessions.ts'
import { singleSignOnLoginOperations } from './authorization/singlesignon.ts'

const RedirectUris = Type.Array(RequiredText(2000), { maxItems: 10 })

export const OauthClient = Output({ clientId: Type.String(), name: Type.String(), redirectUris: Type.Array(Type.String()) })

export const PersonalToken = Output({
  tokenId: Type.String(),
  name: Type.String(),
  scopes: Type.Array(Type.String()),
  createdAt: Timestamp,
  lacksSecondFactor: Type.Optional(
    Type.Boolean({ description: 'Made without a second factor, which the account demands: it opens nothing' }),
  ),
})

/** In addition to the three fields of the specification: fields that existing clients read. */
export const TokenReply = Output({
  access_token: Type.String(),
  token_type: Type.String(),
  expires_in: Type.Integer(),
  refresh_token: Type.String(),
  refresh_expires_in: Type.Integer(),
  id_token: Type.Optional(Type.String({ description: 'When the scope openid, or all, was granted' })),
  session_state: Type.String(),
  'not-before-policy': Type.Integer(),
  scope: Type.String(),
})

/** RFC 7662: for an invalid token, or another client's, no other field is returned. */
export const TokenState = Output({
  active: Type.Boolean(),
  scope: Type.Optional(Type.String()),
  client_id: Type.Optional(Type.String()),
  token_type: Type.Optional(Type.String({ description: 'Bearer; a refresh token has none' })),
  exp: Type.Optional(Type.Integer({ description: 'Seconds since the epoch' })),
  sub: Type.Optional(Type.String()),
  iss: Type.Optional(Type.String()),
})

export const OpenidUserInfo = Output({
  sub: Type.String({ description: 'The same as in the id_token' }),
  locale: Type.String({ description: 'BCP 47, such as de-DE' }),
  zoneinfo: Type.String(),
  userId: Type.String({ description: 'What the account interface calls the user' }),
  domain: Type.String(),
  masterSipId: Type.String(),
  name: Type.Optional(Type.String({ description: 'Names: with profile, users:read or all' })),
  given_name: Type.Optional(Type.String()),
  family_name: Type.Optional(Type.String()),
  email: Type.Optional(Type.String({ description: 'With email, users:read or all' })),
})

export const OauthGrant = Output({
  grantId: Type.String(),
  clientId: Type.String(),
  clientName: Type.String(),
  scopes: Type.Array(Type.String()),
  createdAt: Timestamp,
  lastUsedAt: Type.Optional(Type.String({ description: 'When it last got tokens; ISO 8601, UTC' })),
})

const oauthClients = { auth: 'user', permission: 'CAN_MANAGE_OAUTH_CLIENTS' } as const
const personalTokens = { auth: 'user', bearer: true, scopes: ['internal'], permission: 'CAN_MANAGE_TOKENS' } as const

const clientOperations = {
  listOauthClients: operation({
    id: 'listOauthClients',
    method: 'GET',
    path: '/v1/authorization/oauth/clients',
    summary: 'The OAuth clients of the caller',
    ...oauthClients,
    bearer: true,
    scopes: ['authorization:oauth:clients:read'],
    status: 200,
    reply: Items(OauthClient),
  }),
  createOauthClient: operation({
    id: 'createOauthClient',
    credentials: true,
    method: 'POST',
    path: '/v1/authorization/oauth/clients',
    summary: 'Create an OAuth client; its secret is shown only now',
    ...oauthClients,
    bearer: true,
    scopes: ['authorization:oauth:clients:write'],
    body: Input({
      name: RequiredText(100),
      redirectUris: Type.Optional(
        Type.Array(RequiredText(2000), {
          maxItems: 10,
          description: 'The client can be authorised once it has one; add it now or with PUT',
        }),
      ),
    }),
    status: 200,
    reply: Output({ ...OauthClient.properties, clientSecret: Type.String() }),
    errors: ['conflict'],
  }),
  getOauthClient: operation({
    id: 'getOauthClient',
    method: 'GET',
    path: '/v1/authorization/oauth/clients/{clientId}',
    summary: 'One OAuth client, as a list',
    ...oauthClients,
    bearer: true,
    scopes: ['authorization:oauth:clients:read'],
    status: 200,
    reply: Items(OauthClient),
    errors: ['not_found'],
  }),
  updateOauthClient: operation({
    id: 'updateOauthClient',
    method: 'PUT',
    path: '/v1/authorization/oauth/clients/{clientId}',
    summary: 'Rename an OAuth client or replace its redirect URIs; what is left out stays',
    ...oauthClients,
    bearer: true,
    scopes: ['authorization:oauth:clients:write'],
    body: Input({ name: Type.Optional(RequiredText(100)), redirectUris: Type.Optional(RedirectUris) }),
    status: 204,
    errors: ['not_found'],
  }),
  deleteOauthClient: operation({
    id: 'deleteOauthClient',
    method: 'DELETE',
    path: '/v1/authorization/oauth/clients/{clientId}',
    summary: 'Delete an OAuth client and everything it was granted',
    ...oauthClients,
    bearer: true,
    scopes: ['authorization:oauth:clients:write'],
    status: 204,
    errors: ['not_found'],
  }),
  resetOauthClientSecret: operation({
    id: 'resetOauthClientSecret',
    credentials: true,
    method: 'POST',
    path: '/v1/authorization/oauth/clients/{clientId}/secret',
    summary: 'Give an OAuth client a new secret, which is shown only now',
    ...oauthClients,
    bearer: true,
    scopes: ['authorization:oauth:clients:write'],
    status: 200,
    reply: Output({ clientId: Type.String(), clientSecret: Type.String() }),
    errors: ['not_found'],
  }),
}

const tokenEndpoint = {
  auth: 'public',
  bearer: false,
  protocol: 'oauth',
  form: true,
  body: Type.Object({
    token: Type.String(),
    token_type_hint: Type.Optional(Type.String()),
    client_id: Type.Optional(Type.String({ description: 'With client_secret, unless both are in the Authorization header (Basic)' })),
    client_secret: Type.Optional(Type.String()),
  }),
} as const

const openidUserInfo = {
  path: '/v1/authorization/oauth/userinfo',
  auth: 'user',
  bearer: true,
  scopes: ['openid'],
  status: 200,
  reply: OpenidUserInfo,
} as const

const providerOperations = {
  authorize: operation({
    id: 'authorize',
    page: true,
    method: 'GET',
    path: '/v1/authorization/oauth/authorize',
    summary: 'Send a browser here to ask its user for access; it comes back to redirect_uri with a code',
    auth: 'public',
    bearer: false,
    protocol: 'oauth',
    query: Type.Object({
      scope: Type.String({ description: 'Names of scopes, separated by spaces' }),
      response_type: Type.Literal('code'),
      client_id: Type.String(),
      redirect_uri: Type.String({ description: 'Exactly as registered with the client' }),
      state: Type.Optional(Type.String()),
      nonce: Type.Optional(Type.String({ description: 'Comes back in the id_token' })),
      code_challenge: Type.Optional(Type.String()),
      code_challenge_method: Type.Optional(Type.Literal('S256')),
    }),
    status: 303,
  }),
  exchangeToken: operation({
    id: 'exchangeToken',
    method: 'POST',
    path: '/v1/authorization/oauth/token',
    summary: 'Exchange a code, or a refresh token, for tokens',
    auth: 'public',
    bearer: false,
    protocol: 'oauth',
    form: true,
    body: Type.Object({
      client_id: Type.String(),
      client_secret: Type.String(),
      grant_type: OneOf(['authorization_code', 'refresh_token']),
      code: Type.Optional(Type.String()),
      redirect_uri: Type.Optional(Type.String()),
      code_verifier: Type.Optional(Type.String()),
      refresh_token: Type.Optional(Type.String()),
    }),
    status: 200,
    reply: TokenReply,
  }),
  registerClient: operation({
    id: 'registerClient',
    method: 'POST',
    path: '/v1/authorization/oauth/register',
    summary:
      'Register a program, as clients of MCP do (RFC 7591); it is forgotten after an hour without a consent, and held by a leash from the first consent on',
    auth: 'public',
    bearer: false,
    protocol: 'oauth',
    body: Type.Object({
      redirect_uris: Type.Array(Type.String(), { maxItems: 10 }),
      token_endpoint_auth_method: Type.Optional(
        OneOf(['none', 'client_secret_basic', 'client_secret_post'], {
          description: 'Default: client_secret_basic. none: without a secret, so PKCE is required',
        }),
      ),
      client_name: Type.Optional(Type.String({ maxLength: 100 })),
    }),
    status: 201,
    reply: Output({ client_id: Type.String(), client_secret: Type.Optional(Type.String({ description: 'Shown only now' })) }),
  }),
  revokeToken: operation({
    id: 'revokeToken',
    method: 'POST',
    path: '/v1/authorization/oauth/revoke',
    summary: 'End an access token, or a refresh token with everything that came from the same consent (RFC 7009)',
    ...tokenEndpoint,
    status: 200,
  }),
  introspectToken: operation({
    id: 'introspectToken',
    method: 'POST',
    path: '/v1/authorization/oauth/introspect',
    summary: 'Whether a token of the client is valid, and for what (RFC 7662)',
    ...tokenEndpoint,
    status: 200,
    reply: TokenState,
  }),
  getSigningKeys: operation({
    id: 'getSigningKeys',
    method: 'GET',
    path: '/v1/authorization/oauth/jwks',
    summary: 'The public keys that verify an id_token',
    auth: 'public',
    bearer: false,
    protocol: 'oauth',
    status: 200,
    replyType: 'application/jwk-set+json',
    reply: Type.Object({ keys: Type.Array(Type.Record(Type.String(), Type.Unknown())) }),
  }),
}

const sessionTokenOperations = {
  createSessionToken: operation({
    id: 'createSessionToken',
    method: 'POST',
    path: '/v1/authorization/token',
    summary: 'Log in with user name and password',
    auth: 'public',
    bearer: false,
    body: Input({ username: RequiredText(254), password: RequiredText(1024), ...secondFactorAnswer }),
    status: 200,
    reply: LoginReply,
    errors: ['invalid_credentials', 'password_login_off', 'second_factor_required', 'second_factor_wrong', 'rate_limited'],
  }),
  deleteSessionToken: operation({
    id: 'deleteSessionToken',
    method: 'DELETE',
    path: '/v1/authorization/token',
    summary: 'Invalidate the token that the Authorization header carries',
    auth: 'user',
    bearer: false,
    scopes,
    beforeSecondFactor: true,
    status: 204,
  }),
  getUserInfo: operation({
    id: 'getUserInfo',
    method: 'GET',
    path: '/v1/authorization/userinfo',
    summary: 'Whose token this is',
    auth: 'user',
    bearer: false,
    scopes,
    beforeSecondFactor: true,
    status: 200,
    reply: Output({ sub: Type.String(), domain: Type.String(), masterSipId: Type.String(), locale: Type.String() }),
  }),
}

const openidOperations = {
  getOpenidUserInfo: operation({
    id: 'getOpenidUserInfo',
    method: 'GET',
    summary: 'Whose token this is, in the words of OpenID Connect',
    ...openidUserInfo,
  }),
  postOpenidUserInfo: operation({
    id: 'postOpenidUserInfo',
    method: 'POST',
    summary: 'The same for libraries that ask with POST',
    ...openidUserInfo,
  }),
}

const grantOperations = {
  listGrants: operation({
    id: 'listGrants',
    heavy: true,
    method: 'GET',
    path: '/v1/authorization/grants',
    summary: 'The apps that the caller has allowed to act for them',
    ...personalTokens,
    status: 200,
    reply: Items(OauthGrant),
  }),
  deleteGrant: operation({
    id: 'deleteGrant',
    method: 'DELETE',
    path: '/v1/authorization/grants/{grantId}',
    summary: 'Withdraw what an app was allowed; its tokens end at once',
    ...personalTokens,
    status: 204,
    errors: ['grant_not_found'],
  }),
}

const personalTokenOperations = {
  listPersonalTokens: operation({
    id: 'listPersonalTokens',
    method: 'GET',
    path: '/v1/authorization/personaltokens',
    summary: 'The personal access tokens of the caller',
    ...personalTokens,
    status: 200,
    reply: Items(PersonalToken),
  }),
  createPersonalToken: operation({
    id: 'createPersonalToken',
    credentials: true,
    method: 'POST',
    path: '/v1/authorization/personaltokens',
    summary: 'Make a personal access token for Authorization: Basic; its secret is shown only now',
    ...personalTokens,
    body: Input({
      name: RequiredText(100),
      scopes: Type.Optional(
        Type.Array(OneOf(grantableScopes), { minItems: 1, maxItems: 100, uniqueItems: true, description: 'Default: all' }),
      ),
    }),
    status: 200,
    reply: Output({ tokenId: Type.String(), token: Type.String() }),
    errors: ['conflict'],
  }),
  deletePersonalToken: operation({
    id: 'deletePersonalToken',
    method: 'DELETE',
    path: '/v1/authorization/personaltokens/{tokenId}',
    summary: 'Revoke a personal access token',
    ...personalTokens,
    status: 204,
    errors: ['not_found'],
  }),
}

export const authorizationOperations = {
  ...providerOperations,
  ...clientOperations,
  ...sessionTokenOperations,
  ...openidOperations,
  ...grantOperations,
  ...personalTokenOperations,
  ...leashOperations,
  ...loginSessionOperations,
  ...singleSignOnLoginOperations,
}
