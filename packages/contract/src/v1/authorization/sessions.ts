import { Type } from 'typebox'
import { operation } from '../../operation.ts'
import { Items, Output, Timestamp } from '../../values.ts'

export const LoginSession = Output({
  id: Type.String(),
  createdAt: Timestamp,
  lastSeenAt: Type.String({ description: 'ISO 8601, UTC; to five minutes' }),
  program: Type.String({ description: 'Such as Firefox, Linux; empty when it did not say' }),
  place: Type.String({ description: 'The address from which it logged in' }),
  current: Type.Boolean({ description: 'The one that asks' }),
})

const own = { auth: 'user', bearer: true, scopes: ['internal'] } as const

export const loginSessionOperations = {
  listLoginSessions: operation({
    id: 'listLoginSessions',
    heavy: true,
    method: 'GET',
    path: '/v1/authorization/sessions',
    summary: 'Where the caller is logged in with their password',
    ...own,
    status: 200,
    reply: Items(LoginSession),
  }),
  endLoginSession: operation({
    id: 'endLoginSession',
    method: 'DELETE',
    path: '/v1/authorization/sessions/{sessionId}',
    summary: 'Log out there',
    ...own,
    status: 204,
    errors: ['not_found'],
  }),
  endOtherLoginSessions: operation({
    id: 'endOtherLoginSessions',
    method: 'DELETE',
    path: '/v1/authorization/sessions',
    summary: 'Log out everywhere else',
    ...own,
    status: 204,
  }),
}
