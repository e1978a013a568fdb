import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Output, RequiredText } from '../values.ts'

export const operatorSessionOperations = {
  createOperatorSession: operation({
    id: 'createOperatorSession',
    method: 'POST',
    path: '/operator/v1/session',
    summary: 'Log in as the operator of the installation',
    auth: 'public',
    bearer: false,
    body: Input({ email: RequiredText(254), password: RequiredText(1024) }),
    status: 200,
    reply: Output({ token: Type.String() }),
    errors: ['invalid_credentials', 'rate_limited'],
  }),
  deleteOperatorSession: operation({
    id: 'deleteOperatorSession',
    method: 'DELETE',
    path: '/operator/v1/session',
    summary: 'Log out: invalidate the token that the Authorization header carries',
    auth: 'operator',
    bearer: true,
    status: 204,
  }),
}
