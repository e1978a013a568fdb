import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { productTypes } from '../v1/account.ts'
import { Retention } from '../v1/settings/retention.ts'
import { Email, Input, Items, Locale, OneOf, Output, RequiredText, Timestamp } from '../values.ts'
import { NewPassword, Page } from './values.ts'

/** Bookable features of an account. SVCIO is the integration of `/v1/settings/svcio`. */
export const features = ['SVCIO', 'VOICEMAIL', 'FAX', 'SMS', 'CALLERID', 'RECORDING', 'GROUPS', 'TARIFFANNOUNCEMENT'] as const

/** Part of the name, or start of the number; or a list of account numbers. */
const AccountPage = Input({
  ...Page.properties,
  search: Type.Optional(Type.String({ maxLength: 200, description: 'A part of the company’s name, or the beginning of the id' })),
  ids: Type.Optional(
    Type.String({ pattern: '^[0-9]{1,20}(,[0-9]{1,20}){0,99}$', description: 'Only those of these ids, up to 100, separated by commas' }),
  ),
})

/** Empty, or the address of the image. */
const LogoUrl = Type.String({ maxLength: 2000, pattern: '^(https?://[^\\s]+)?$' })

export const OperatorAccount = Output({
  id: Type.String(),
  company: Type.String(),
  mainProductType: OneOf(productTypes),
  logoUrl: Type.String(),
  verified: Type.Boolean(),
  domain: Type.String(),
  locale: Locale,
  country: Type.String(),
  tariffId: Type.Optional(Type.String()),
  outboundEnabled: Type.Boolean(),
  createdAt: Timestamp,
})

const OutboundReview = Output({ enabled: Type.Boolean(), reviewer: Type.String(), reason: Type.String(), at: Timestamp })

const common = { auth: 'operator', bearer: true } as const

export const operatorAccountOperations = {
  listAccounts: operation({
    id: 'listAccounts',
    method: 'GET',
    path: '/operator/v1/accounts',
    summary: 'All accounts that are not closed, by id',
    ...common,
    query: AccountPage,
    status: 200,
    reply: Items(OperatorAccount),
  }),
  createAccount: operation({
    id: 'createAccount',
    credentials: true,
    method: 'POST',
    path: '/operator/v1/accounts',
    summary: 'Create an account with its first administrator, who is sent a verification code',
    ...common,
    body: Input({
      company: RequiredText(200),
      country: Type.Optional(Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166 code; default: the installation’s' })),
      locale: Type.Optional(Locale),
      currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217 code; default: the installation’s' })),
      mainProductType: Type.Optional(OneOf(productTypes)),
      tariffId: Type.Optional(RequiredText(64)),
      admin: Input({ email: Email, firstname: RequiredText(100), lastname: RequiredText(100), password: Type.Optional(NewPassword) }),
    }),
    status: 201,
    reply: Output({
      id: Type.String(),
      adminUserId: Type.String(),
      password: Type.Optional(Type.String({ description: 'Only when none was given; shown this once' })),
    }),
    errors: ['already_exists'],
  }),
  readAccount: operation({
    id: 'readAccount',
    method: 'GET',
    path: '/operator/v1/accounts/{accountId}',
    summary: 'One account',
    ...common,
    status: 200,
    reply: OperatorAccount,
    errors: ['account_not_found'],
  }),
  updateAccount: operation({
    id: 'updateAccount',
    method: 'PUT',
    path: '/operator/v1/accounts/{accountId}',
    summary: 'Change an account; what is left out stays',
    ...common,
    body: Input({
      company: Type.Optional(RequiredText(200)),
      mainProductType: Type.Optional(OneOf(productTypes)),
      logoUrl: Type.Optional(LogoUrl),
      locale: Type.Optional(Locale),
      tariffId: Type.Optional(RequiredText(64)),
    }),
    status: 204,
    errors: ['account_not_found'],
  }),
  closeAccount: operation({
    id: 'closeAccount',
    method: 'DELETE',
    path: '/operator/v1/accounts/{accountId}',
    summary: 'Close an account: nobody can log in any more, all its tokens are void at once, its numbers are taken out of service',
    ...common,
    status: 204,
    errors: ['account_not_found', 'conflict'],
  }),
  listAccountFeatures: operation({
    id: 'listAccountFeatures',
    method: 'GET',
    path: '/operator/v1/accounts/{accountId}/features',
    summary: 'What is booked for an account',
    ...common,
    status: 200,
    reply: Items(OneOf(features)),
    errors: ['account_not_found'],
  }),
  bookAccountFeature: operation({
    id: 'bookAccountFeature',
    method: 'PUT',
    path: '/operator/v1/accounts/{accountId}/features/{feature}',
    summary: 'Book a feature for an account',
    ...common,
    status: 204,
    errors: ['account_not_found', 'feature_not_found'],
  }),
  cancelAccountFeature: operation({
    id: 'cancelAccountFeature',
    method: 'DELETE',
    path: '/operator/v1/accounts/{accountId}/features/{feature}',
    summary: 'Cancel a feature of an account',
    ...common,
    status: 204,
    errors: ['account_not_found', 'feature_not_found'],
  }),
  readAccountOutbound: operation({
    id: 'readAccountOutbound',
    method: 'GET',
    path: '/operator/v1/accounts/{accountId}/outbound',
    summary: 'Whether assistants may call out, and who decided it when and why',
    ...common,
    status: 200,
    reply: Output({ enabled: Type.Boolean(), reviews: Type.Array(OutboundReview) }),
    errors: ['account_not_found'],
  }),
  reviewAccountOutbound: operation({
    id: 'reviewAccountOutbound',
    method: 'PUT',
    path: '/operator/v1/accounts/{accountId}/outbound',
    summary: 'Allow or forbid outbound calls of assistants after a review',
    ...common,
    body: Input({ enabled: Type.Boolean(), reviewer: RequiredText(200), reason: RequiredText(2000) }),
    status: 204,
    errors: ['account_not_found'],
  }),
  readAccountRetention: operation({
    id: 'readAccountRetention',
    method: 'GET',
    path: '/operator/v1/accounts/{accountId}/retention',
    summary: 'How many days data of an account is kept',
    ...common,
    status: 200,
    reply: Retention,
    errors: ['account_not_found'],
  }),
  sendAccountVerification: operation({
    id: 'sendAccountVerification',
    method: 'POST',
    path: '/operator/v1/accounts/{accountId}/verification',
    summary: 'Send a fresh verification code to the first administrator; the one before it no longer counts',
    ...common,
    status: 204,
    errors: ['account_not_found', 'conflict'],
  }),
}
