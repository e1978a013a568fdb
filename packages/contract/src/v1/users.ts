import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { userRoles } from '../roles.ts'
import { DisplayName, Email, Input, Items, Locale, OneOf, Output, RequiredText } from '../values.ts'
import { peopleOperations } from './users/people.ts'
import { userSecondFactorOperations } from './users/user-second-factor.ts'

export const User = Output({
  id: Type.String(),
  firstname: Type.String(),
  lastname: Type.String(),
  email: Type.String(),
  defaultDevice: Type.String({ description: 'Empty when there is none' }),
  admin: Type.Boolean({ description: 'True of the role ADMIN' }),
  role: OneOf(userRoles),
  roleIds: Type.Array(Type.String(), { description: 'Own roles of the account; with any, they replace the permissions of `role`' }),
  active: Type.Boolean({ description: 'False: has left; logs in nowhere, and nothing rings' }),
  busyOnBusy: Type.Boolean(),
  addressId: Type.Optional(Type.String()),
  timezone: Type.String(),
  locale: Locale,
  localeChosen: Type.Boolean({ description: 'The user chose it; else it is the one that the account began with' }),
})

export const userOperations = {
  ...userSecondFactorOperations,
  ...peopleOperations,
  listUsers: operation({
    id: 'listUsers',
    heavy: true,
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
  addUser: operation({
    id: 'addUser',
    method: 'POST',
    path: '/v1/users',
    summary: 'Create a user with a phone line, voicemail, fax line and SMS extension, without an invitation',
    auth: 'user',
    bearer: true,
    scopes: ['users:write'],
    permission: 'CAN_MANAGE_USERS',
    body: Input({
      email: Email,
      firstname: RequiredText(100),
      lastname: RequiredText(100),
      role: Type.Optional(OneOf(userRoles, { description: 'Default: USER' })),
      locale: Type.Optional(Locale),
      timezone: Type.Optional(RequiredText(64)),
      lineName: Type.Optional(DisplayName),
      password: Type.Optional(RequiredText(1024)),
    }),
    status: 201,
    reply: Output({
      ...User.properties,
      password: Type.Optional(Type.String({ description: 'Only when none was given; shown this once' })),
    }),
    location: '/v1/users/{id}',
    errors: ['email_taken', 'password_weak', 'user_limit_reached'],
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
