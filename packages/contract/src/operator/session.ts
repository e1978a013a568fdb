import { operation } from '../operation.ts'
import { LoginReply, secondFactorAnswer } from '../second-factor.ts'
import { Input, RequiredText } from '../values.ts'

export const operatorSessionOperations = {
  createOperatorSession: operation({
    id: 'createOperatorSession',
    method: 'POST',
    path: '/operator/v1/session',
    summary: 'Log in as the operator of the installation',
    auth: 'public',
    bearer: false,
    body: Input({ email: RequiredText(254), password: RequiredText(1024), ...secondFactorAnswer }),
    status: 200,
    reply: LoginReply,
    errors: ['invalid_credentials', 'second_factor_required', 'second_factor_wrong', 'rate_limited'],
  }),
  deleteOperatorSession: operation({
    id: 'deleteOperatorSession',
    method: 'DELETE',
    path: '/operator/v1/session',
    summary: 'Log out: invalidate the token that the Authorization header carries',
    auth: 'operator',
    bearer: true,
    beforeSecondFactor: true,
    status: 204,
  }),
}
