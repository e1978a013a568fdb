import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Input, OneOf, Output, RequiredText } from '../values.ts'

export const productTypes = ['AFFILIATE', 'BASIC', 'CLINQ', 'SATELLITE', 'SIMQUADRAT', 'TEAM', 'TRUNKING', 'UNKNOWN'] as const

export const Account = Output({
  company: Type.String(),
  mainProductType: OneOf(productTypes),
  logoUrl: Type.String(),
  verified: Type.Boolean(),
})

export const accountOperations = {
  getAccount: operation({
    id: 'getAccount',
    method: 'GET',
    path: '/v1/account',
    summary: 'The account of the caller',
    auth: 'user',
    bearer: true,
    scopes: ['account:read'],
    permission: 'CAN_GET_ACCOUNT',
    status: 200,
    reply: Account,
    errors: ['account_not_found'],
  }),
  verifyAccount: operation({
    id: 'verifyAccount',
    method: 'PUT',
    path: '/v1/account/verified',
    summary: 'Verify the account with the code that was sent to its holder',
    auth: 'user',
    bearer: true,
    scopes: ['account:write'],
    permission: 'CAN_VERIFY_ACCOUNT',
    body: Input({ verificationCode: RequiredText(64) }),
    status: 204,
    errors: ['verification_code_unknown'],
  }),
}
