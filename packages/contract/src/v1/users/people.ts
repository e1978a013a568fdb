import { Type } from 'typebox'
import { operation } from '../../operation.ts'
import { userRoles } from '../../roles.ts'
import { Email, Input, Locale, OneOf, Output, RequiredText } from '../../values.ts'

/** Handling of a departing user's resources. */
const Leaving = Input({
  numbersTo: Type.Optional(
    Type.String({ pattern: '^w\\d{1,15}$', description: 'The user who gets the numbers; without it the account keeps them, unassigned' }),
  ),
  historyTo: Type.Optional(
    Type.String({
      pattern: '^(w\\d{1,15}|DELETED)$',
      description:
        'The user who gets calls, voicemails, faxes and recordings, or DELETED: recordings, voicemails and faxes are erased. Without it the account keeps them, for its administrators',
    }),
  ),
})

export const peopleOperations = {
  changeUser: operation({
    id: 'changeUser',
    method: 'PUT',
    path: '/v1/users/{userId}',
    summary:
      'Change a user; what is left out stays. Administrators change everybody, others their own name, address, language and time zone',
    auth: 'user',
    bearer: true,
    scopes: ['users:write'],
    permission: 'CAN_CHANGE_USERS',
    body: Input({
      firstname: Type.Optional(RequiredText(100)),
      lastname: Type.Optional(RequiredText(100)),
      email: Type.Optional({ ...Email, description: 'Changes when the link is opened that is sent there' }),
      role: Type.Optional(OneOf(userRoles, { description: 'Administrators only' })),
      locale: Type.Optional(Locale),
      timezone: Type.Optional(RequiredText(64)),
      active: Type.Optional(Type.Boolean({ description: 'Administrators only; false: as with DELETE, and the account keeps everything' })),
    }),
    status: 200,
    reply: Output({
      emailLink: Type.Optional(
        Type.String({ description: 'Where no mail server is set up: what confirms the new address; shown only now' }),
      ),
    }),
    errors: ['user_not_found', 'last_admin', 'email_taken', 'rate_limited'],
  }),
  deactivateUser: operation({
    id: 'deactivateUser',
    method: 'DELETE',
    path: '/v1/users/{userId}',
    summary:
      'Deactivate a user: logins, tokens and registrations end at once and nothing rings; an account keeps at least one administrator',
    auth: 'user',
    bearer: true,
    scopes: ['users:write'],
    permission: 'CAN_MANAGE_USERS',
    query: Leaving,
    status: 204,
    errors: ['user_not_found', 'last_admin'],
  }),
  changePassword: operation({
    id: 'changePassword',
    method: 'PUT',
    path: '/v1/users/{userId}/password',
    summary: 'Choose a new password for oneself; everything else that the user was logged in to is logged out, personal tokens stay',
    auth: 'user',
    bearer: true,
    scopes: ['internal'],
    permission: 'CAN_CHANGE_USERS',
    body: Input({ oldPassword: RequiredText(1024), newPassword: RequiredText(1024) }),
    status: 204,
    errors: ['user_not_found', 'forbidden', 'password_wrong', 'password_weak', 'rate_limited'],
  }),
}
