import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Demand } from '../second-factor.ts'
import { Input, Locale, OneOf, Output, RequiredText } from '../values.ts'

export const productTypes = ['AFFILIATE', 'BASIC', 'CLINQ', 'SATELLITE', 'SIMQUADRAT', 'TEAM', 'TRUNKING', 'UNKNOWN'] as const

export const Account = Output({
  company: Type.String(),
  mainProductType: OneOf(productTypes),
  logoUrl: Type.String(),
  verified: Type.Boolean(),
  country: Type.String({ description: 'ISO 3166 code; numbers without a country code belong there' }),
  locale: Locale,
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
  getEmergencyCallback: operation({
    id: 'getEmergencyCallback',
    method: 'GET',
    path: '/v1/account/emergency',
    summary: 'Where the emergency services reach the account when a phone that called them has no number of its own',
    auth: 'user',
    bearer: true,
    scopes: ['account:read'],
    permission: 'CAN_CHANGE_NUMBERS',
    status: 200,
    reply: Output({
      callbackNumber: Type.Optional(
        Type.String({ description: 'E.164; absent when no number of the account leads to a phone at this moment' }),
      ),
      hasPhones: Type.Boolean({ description: 'Emergency numbers can be called from the account' }),
    }),
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
  demandSecondFactor: operation({
    id: 'demandSecondFactor',
    method: 'PUT',
    path: '/v1/account/secondfactor',
    summary: 'Let users in only with a second factor, or no longer; who has none is logged out and sets one up at the next login',
    auth: 'user',
    bearer: true,
    scopes: ['internal'],
    permission: 'CAN_MANAGE_SECOND_FACTORS',
    body: Demand,
    status: 204,
    errors: ['second_factor_not_set', 'login_too_old'],
  }),
}
