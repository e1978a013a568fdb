import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { NewTotp, RecoveryCodes, SecondFactor, TotpCode } from '../second-factor.ts'
import { Input, Items, Output, RequiredText } from '../values.ts'

export const User = Output({
  id: Type.String(),
  firstname: Type.String(),
  lastname: Type.String(),
  email: Type.String(),
  defaultDevice: Type.String({ description: 'Empty when there is none' }),
  admin: Type.Boolean(),
  busyOnBusy: Type.Boolean(),
  addressId: Type.Optional(Type.String()),
  timezone: Type.String(),
})

/** Of the caller alone: nobody sets up what somebody else logs in with. Recovery codes and secrets are shown only now. */
const ownSecondFactor = { auth: 'user', bearer: true, scopes: ['internal'], beforeSecondFactor: true } as const

const secondFactorOperations = {
  getSecondFactor: operation({
    id: 'getSecondFactor',
    method: 'GET',
    path: '/v1/users/{userId}/secondfactor',
    summary: 'What the caller logs in with besides the password',
    ...ownSecondFactor,
    status: 200,
    reply: SecondFactor,
    errors: ['user_not_found', 'forbidden'],
  }),
  removeSecondFactor: operation({
    id: 'removeSecondFactor',
    method: 'DELETE',
    path: '/v1/users/{userId}/secondfactor',
    summary: 'Help somebody who has lost their second factor: all of it is removed, and they are logged out',
    auth: 'user',
    bearer: true,
    scopes: ['internal'],
    permission: 'CAN_MANAGE_SECOND_FACTORS',
    status: 204,
    errors: ['user_not_found', 'login_too_old', 'not_found'],
  }),
  beginTotp: operation({
    id: 'beginTotp',
    method: 'POST',
    path: '/v1/users/{userId}/totp',
    summary: 'Begin to set up an authenticator app; nothing changes before its first code',
    ...ownSecondFactor,
    status: 201,
    reply: NewTotp,
    errors: ['user_not_found', 'forbidden', 'login_too_old', 'already_exists'],
  }),
  confirmTotp: operation({
    id: 'confirmTotp',
    method: 'PUT',
    path: '/v1/users/{userId}/totp',
    summary: 'Show the first code of an authenticator app: from now on logging in takes one; other logins end',
    ...ownSecondFactor,
    body: TotpCode,
    status: 200,
    reply: RecoveryCodes,
    errors: ['user_not_found', 'forbidden', 'login_too_old', 'code_wrong', 'conflict'],
  }),
  removeTotp: operation({
    id: 'removeTotp',
    method: 'DELETE',
    path: '/v1/users/{userId}/totp',
    summary: 'Log in without the authenticator app from now on',
    ...ownSecondFactor,
    status: 204,
    errors: ['user_not_found', 'forbidden', 'login_too_old', 'not_found', 'second_factor_demanded'],
  }),
  renewRecoveryCodes: operation({
    id: 'renewRecoveryCodes',
    method: 'POST',
    path: '/v1/users/{userId}/recoverycodes',
    summary: 'New recovery codes; the earlier ones are void',
    ...ownSecondFactor,
    status: 200,
    reply: RecoveryCodes,
    errors: ['user_not_found', 'forbidden', 'login_too_old', 'second_factor_not_set'],
  }),
}

export const userOperations = {
  ...secondFactorOperations,
  listUsers: operation({
    id: 'listUsers',
    method: 'GET',
    path: '/v1/users',
    summary: 'The users of the account; those who are not administrators see themselves',
    auth: 'user',
    bearer: true,
    scopes: ['users:read'],
    permission: 'CAN_GET_USERS',
    status: 200,
    reply: Items(User),
  }),
  getUser: operation({
    id: 'getUser',
    method: 'GET',
    path: '/v1/users/{userId}',
    summary: 'One user',
    auth: 'user',
    bearer: true,
    scopes: ['users:read'],
    permission: 'CAN_GET_USERS',
    status: 200,
    reply: User,
    errors: ['user_not_found'],
  }),
  setDefaultDevice: operation({
    id: 'setDefaultDevice',
    method: 'PUT',
    path: '/v1/users/{userId}/defaultdevice',
    summary: 'Choose the device that rings first when the user starts a call',
    auth: 'user',
    bearer: true,
    scopes: ['users:defaultdevice:write'],
    permission: 'CAN_CHANGE_DEFAULT_DEVICE',
    body: Input({ deviceId: RequiredText(32) }),
    status: 204,
    errors: ['user_not_found', 'device_not_found'],
  }),
}
