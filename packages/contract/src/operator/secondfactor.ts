import { operation } from '../operation.ts'
import { Demand, NewTotp, RecoveryCodes, SecondFactor, TotpCode } from '../second-factor.ts'

const own = { auth: 'operator', bearer: true, beforeSecondFactor: true } as const

/** The same for operators as for users under /v1/users/{userId}. */
export const operatorSecondFactorOperations = {
  getOperatorSecondFactor: operation({
    id: 'getOperatorSecondFactor',
    method: 'GET',
    path: '/operator/v1/secondfactor',
    summary: 'What the operator logs in with besides the password',
    ...own,
    status: 200,
    reply: SecondFactor,
  }),
  demandOperatorSecondFactor: operation({
    id: 'demandOperatorSecondFactor',
    method: 'PUT',
    path: '/operator/v1/secondfactor',
    summary: 'Let operators in only with a second factor, or no longer; who has none is logged out and sets one up at the next login',
    auth: 'operator',
    bearer: true,
    body: Demand,
    status: 204,
    errors: ['second_factor_not_set', 'login_too_old'],
  }),
  beginOperatorTotp: operation({
    id: 'beginOperatorTotp',
    method: 'POST',
    path: '/operator/v1/secondfactor/totp',
    summary: 'Begin to set up an authenticator app; nothing changes before its first code',
    ...own,
    status: 201,
    reply: NewTotp,
    errors: ['login_too_old', 'already_exists'],
  }),
  confirmOperatorTotp: operation({
    id: 'confirmOperatorTotp',
    method: 'PUT',
    path: '/operator/v1/secondfactor/totp',
    summary: 'Show the first code of an authenticator app: from now on logging in takes one; other logins end',
    ...own,
    body: TotpCode,
    status: 200,
    reply: RecoveryCodes,
    errors: ['login_too_old', 'code_wrong', 'conflict'],
  }),
  removeOperatorTotp: operation({
    id: 'removeOperatorTotp',
    method: 'DELETE',
    path: '/operator/v1/secondfactor/totp',
    summary: 'Log in without the authenticator app from now on',
    ...own,
    status: 204,
    errors: ['login_too_old', 'not_found', 'second_factor_demanded'],
  }),
  renewOperatorRecoveryCodes: operation({
    id: 'renewOperatorRecoveryCodes',
    method: 'POST',
    path: '/operator/v1/secondfactor/recoverycodes',
    summary: 'New recovery codes; the earlier ones are void',
    ...own,
    status: 200,
    reply: RecoveryCodes,
    errors: ['login_too_old', 'second_factor_not_set'],
  }),
}
