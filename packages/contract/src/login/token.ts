import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { TokenReply } from '../v1/authorization.ts'
import { OneOf, Output } from '../values.ts'

/** Open, because a token endpoint ignores unknown parameters (RFC 6749 §3.2). */
const PasswordLogin = Type.Object({
  client_id: Type.String(),
  grant_type: OneOf(['password', 'refresh_token']),
  username: Type.Optional(Type.String({ description: 'The e-mail address, for grant_type=password' })),
  password: Type.Optional(Type.String()),
  refresh_token: Type.Optional(Type.String({ description: 'For grant_type=refresh_token' })),
  scope: Type.Optional(Type.String({ description: 'Names of scopes, separated by spaces. Default: all' })),
})

const { id_token: _, ...tokenFields } = TokenReply.properties

const passwordLogin = {
  auth: 'public',
  bearer: false,
  protocol: 'oauth',
  form: true,
  body: PasswordLogin,
  status: 200,
  reply: Output({ ...tokenFields, token: Type.String({ description: 'The same as access_token' }) }),
} as const

export const loginOperations = {
  logIn: operation({ id: 'logIn', method: 'POST', path: '/login', summary: 'Log in with user name and password', ...passwordLogin }),
  logInForToken: operation({
    id: 'logInForToken',
    method: 'POST',
    path: '/login/token',
    summary: 'Log in with user name and password, at the address where clients expect a token endpoint',
    ...passwordLogin,
  }),
  getOpenidConfiguration: operation({
    id: 'getOpenidConfiguration',
    method: 'GET',
    path: '/.well-known/openid-configuration',
    summary: 'Where the endpoints of the identity provider are and what it can do',
    auth: 'public',
    bearer: false,
    protocol: 'oauth',
    status: 200,
    reply: Type.Record(Type.String(), Type.Unknown()),
  }),
}
