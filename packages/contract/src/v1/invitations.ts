import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { userRoles } from '../roles.ts'
import { LoginReply } from '../second-factor.ts'
import { DisplayName, Email, Input, Items, Locale, OneOf, Output, RequiredText, Text, Timestamp } from '../values.ts'

export const Invitation = Output({
  id: Type.String(),
  email: Type.String(),
  firstname: Type.String(),
  lastname: Type.String(),
  role: OneOf(userRoles),
  invitedBy: Type.String({ description: 'The id of a user' }),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  expired: Type.Boolean(),
})

/** Result of sending it. */
const SentInvitation = Output({
  id: Type.String(),
  expiresAt: Timestamp,
  link: Type.Optional(Type.String({ description: 'Where no mail server is set up: what to hand over; shown only now' })),
})

const managing = { auth: 'user', bearer: true, scopes: ['users:write'], permission: 'CAN_MANAGE_USERS' } as const

export const invitationOperations = {
  listInvitations: operation({
    id: 'listInvitations',
    method: 'GET',
    path: '/v1/invitations',
    summary: 'Who was invited and has not accepted yet',
    ...managing,
    scopes: ['users:read'],
    status: 200,
    reply: Items(Invitation),
  }),
  getInvitation: operation({
    id: 'getInvitation',
    method: 'GET',
    path: '/v1/invitations/{invitationId}',
    summary: 'An invitation that is not accepted yet',
    ...managing,
    scopes: ['users:read'],
    status: 200,
    reply: Invitation,
    errors: ['invitation_not_found'],
  }),
  createInvitation: operation({
    id: 'createInvitation',
    credentials: true,
    method: 'POST',
    path: '/v1/invitations',
    summary: 'Invite somebody by mail; the link is good for seven days',
    ...managing,
    body: Input({
      email: Email,
      firstname: Type.Optional(Text(100)),
      lastname: Type.Optional(Text(100)),
      role: Type.Optional(OneOf(userRoles, { description: 'Default: USER' })),
      lineName: Type.Optional(DisplayName),
      locale: Type.Optional(Locale),
    }),
    status: 201,
    reply: SentInvitation,
    errors: ['email_taken', 'user_limit_reached', 'rate_limited'],
  }),
  deleteInvitation: operation({
    id: 'deleteInvitation',
    method: 'DELETE',
    path: '/v1/invitations/{invitationId}',
    summary: 'Withdraw an invitation; its link is void at once',
    ...managing,
    status: 204,
    errors: ['invitation_not_found'],
  }),
  resendInvitation: operation({
    id: 'resendInvitation',
    credentials: true,
    method: 'POST',
    path: '/v1/invitations/{invitationId}/resend',
    summary: 'Send a new link, good for seven days; the one before is void',
    ...managing,
    status: 201,
    reply: SentInvitation,
    errors: ['invitation_not_found', 'email_taken', 'rate_limited'],
  }),
  readInvitation: operation({
    id: 'readInvitation',
    method: 'GET',
    path: '/v1/invitations/accept/{nonce}',
    summary: 'What a link invites to, for who opens it',
    auth: 'public',
    bearer: false,
    status: 200,
    reply: Output({
      email: Type.String(),
      firstname: Type.String(),
      lastname: Type.String(),
      role: OneOf(userRoles),
      company: Type.String(),
      locale: Locale,
    }),
    errors: ['invitation_invalid'],
  }),
  acceptInvitation: operation({
    id: 'acceptInvitation',
    method: 'POST',
    path: '/v1/invitations/accept/{nonce}',
    summary: 'Accept an invitation with a name and password of one’s own, and be logged in',
    auth: 'public',
    bearer: false,
    body: Input({ firstname: RequiredText(100), lastname: RequiredText(100), password: RequiredText(1024) }),
    status: 201,
    reply: LoginReply,
    errors: ['invitation_invalid', 'email_taken', 'password_weak', 'user_limit_reached', 'single_sign_on_required'],
  }),
}
