import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Items, OneOf, Output, RequiredText } from '../values.ts'

export const notificationTypes = ['VOICEMAIL', 'FAX', 'CALL', 'SMS'] as const
export const notificationWays = ['EMAIL', 'SMS'] as const
export const notificationDirections = ['INCOMING', 'OUTGOING', 'MISSED_INCOMING', 'ALL'] as const

const choices = { type: OneOf(notificationTypes), via: OneOf(notificationWays), direction: OneOf(notificationDirections) }

export const Notification = Output({ id: Type.String(), ...choices, endpointId: Type.String(), recipient: Type.String() })

export const notificationOperations = {
  listNotifications: operation({
    id: 'listNotifications',
    method: 'GET',
    path: '/v1/{userId}/notifications',
    summary: 'What a user wants to be told about',
    auth: 'user',
    bearer: true,
    scopes: ['notifications:read'],
    permission: 'CAN_GET_NOTIFICATIONS',
    status: 200,
    reply: Items(Notification),
  }),
  getNotification: operation({
    id: 'getNotification',
    method: 'GET',
    path: '/v1/{userId}/notifications/{notificationId}',
    summary: 'A notification of a user',
    auth: 'user',
    bearer: true,
    scopes: ['notifications:read'],
    permission: 'CAN_GET_NOTIFICATIONS',
    status: 200,
    reply: Notification,
    errors: ['not_found'],
  }),
  createNotification: operation({
    id: 'createNotification',
    method: 'POST',
    path: '/v1/{userId}/notifications',
    summary: 'Tell somebody by mail or SMS when something happens at an extension of the user; at most 50',
    auth: 'user',
    bearer: true,
    scopes: ['notifications:write'],
    permission: 'CAN_CHANGE_NOTIFICATIONS',
    body: Input({ ...choices, endpointId: RequiredText(40), recipient: RequiredText(254) }),
    status: 201,
    reply: Notification,
    errors: ['number_invalid', 'already_exists', 'conflict', 'line_unavailable'],
  }),
  createNotificationOfKind: operation({
    id: 'createNotificationOfKind',
    deprecated: true,
    method: 'POST',
    path: '/v1/{userId}/notifications/{event}/{way}',
    summary: 'The same for older programs',
    description:
      '`event` is `voicemail`, `fax`, `call` or `sms`, `way` is `email` or `sms`, for faxes also `report`: a mail about what was sent. Use createNotification.',
    auth: 'user',
    bearer: true,
    scopes: ['notifications:write'],
    permission: 'CAN_CHANGE_NOTIFICATIONS',
    body: Input({
      endpointId: Type.Optional(RequiredText(40)),
      voicemailId: Type.Optional(RequiredText(40)),
      faxlineId: Type.Optional(RequiredText(40)),
      email: Type.Optional(RequiredText(254)),
      number: Type.Optional(RequiredText(40)),
      direction: Type.Optional({ ...choices.direction, description: 'Default: INCOMING' }),
      cause: Type.Optional(Type.String({ maxLength: 40, description: 'MISSED: only missed calls' })),
    }),
    status: 201,
    reply: Notification,
    errors: ['not_found', 'number_invalid', 'already_exists', 'conflict', 'line_unavailable'],
  }),
  deleteNotification: operation({
    id: 'deleteNotification',
    method: 'DELETE',
    path: '/v1/{userId}/notifications/{notificationId}',
    summary: 'No longer tell about it',
    auth: 'user',
    bearer: true,
    scopes: ['notifications:write'],
    permission: 'CAN_CHANGE_NOTIFICATIONS',
    status: 204,
    errors: ['not_found'],
  }),
}
