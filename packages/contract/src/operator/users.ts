import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Email, Input, Items, Locale, Output, RequiredText, Text } from '../values.ts'
import { NewPassword } from './values.ts'

/** A name from the IANA time zone database. */
const Timezone = RequiredText(64)

export const OperatorUser = Output({
  accountId: Type.String(),
  id: Type.String(),
  email: Type.String(),
  firstname: Type.String(),
  lastname: Type.String(),
  admin: Type.Boolean(),
  locale: Locale,
  timezone: Type.String(),
})

const common = { auth: 'operator', bearer: true } as const

export const operatorUserOperations = {
  listAccountUsers: operation({
    id: 'listAccountUsers',
    method: 'GET',
    path: '/operator/v1/users',
    summary: 'The users of an account',
    ...common,
    query: Input({ accountId: Text(64) }),
    status: 200,
    reply: Items(OperatorUser),
    errors: ['account_not_found'],
  }),
  createUser: operation({
    id: 'createUser',
    credentials: true,
    method: 'POST',
    path: '/operator/v1/users',
    summary: 'Create a user with a phone line, voicemail, fax line and SMS extension',
    ...common,
    body: Input({
      accountId: Text(64),
      email: Email,
      firstname: RequiredText(100),
      lastname: RequiredText(100),
      admin: Type.Optional(Type.Boolean({ default: false })),
      locale: Type.Optional(Locale),
      timezone: Type.Optional(Timezone),
      password: Type.Optional(NewPassword),
    }),
    status: 201,
    reply: Output({
      accountId: Type.String(),
      id: Type.String(),
      password: Type.Optional(Type.String({ description: 'Only when none was given; shown this once' })),
    }),
    errors: ['account_not_found', 'already_exists'],
  }),
  readAccountUser: operation({
    id: 'readAccountUser',
    method: 'GET',
    path: '/operator/v1/users/{accountId}/{userId}',
    summary: 'One user of an account',
    ...common,
    status: 200,
    reply: OperatorUser,
    errors: ['user_not_found'],
  }),
  updateUser: operation({
    id: 'updateUser',
    method: 'PUT',
    path: '/operator/v1/users/{accountId}/{userId}',
    summary: 'Change a user; what is left out stays. An account keeps at least one administrator',
    ...common,
    body: Input({
      firstname: Type.Optional(RequiredText(100)),
      lastname: Type.Optional(RequiredText(100)),
      admin: Type.Optional(Type.Boolean()),
      locale: Type.Optional(Locale),
      timezone: Type.Optional(Timezone),
    }),
    status: 204,
    errors: ['user_not_found', 'last_admin'],
  }),
  disableUser: operation({
    id: 'disableUser',
    method: 'DELETE',
    path: '/operator/v1/users/{accountId}/{userId}',
    summary: 'Disable a user for good: tokens, devices and lines end; refused while numbers lead to those',
    ...common,
    status: 204,
    errors: ['user_not_found', 'last_admin', 'endpoint_in_use'],
  }),
  removeUserSecondFactor: operation({
    id: 'removeUserSecondFactor',
    method: 'DELETE',
    path: '/operator/v1/users/{accountId}/{userId}/secondfactor',
    summary: 'Help somebody who has lost their second factor: all of it is removed, and they are logged out',
    ...common,
    status: 204,
    errors: ['user_not_found', 'not_found'],
  }),
  setUserPassword: operation({
    id: 'setUserPassword',
    method: 'PUT',
    path: '/operator/v1/users/{accountId}/{userId}/password',
    summary: 'Set a password; tokens that the user got before are void',
    ...common,
    body: Input({ password: NewPassword }),
    status: 204,
    errors: ['user_not_found'],
  }),
}
