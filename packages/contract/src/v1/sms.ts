import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Items, Output, RequiredText, Timestamp } from '../values.ts'
import { Alias } from './phonelines.ts'

export const SmsExtension = Output({
  id: Type.String(),
  alias: Type.String(),
  callerId: Type.String({ description: 'The sender that is used unless another is asked for; empty when there is none' }),
})

export const SmsCallerId = Output({
  id: Type.String(),
  phonenumber: Type.String(),
  verified: Type.Boolean(),
  defaultNumber: Type.Boolean(),
})

const Addresses = Type.Array(Type.String(), { description: 'Where it binds, for example smpp://sms.example:2775' })

/** With what a program of the customer's binds over SMPP. */
export const SmppLogin = Output({ systemId: Type.String(), createdAt: Timestamp, addresses: Addresses })

const reading = { auth: 'user', bearer: true, permission: 'CAN_GET_SMS', status: 200 } as const
const changing = { auth: 'user', bearer: true, permission: 'CAN_CHANGE_SMS' } as const

export const smsOperations = {
  listSms: operation({
    ...reading,
    id: 'listSms',
    method: 'GET',
    path: '/v1/{userId}/sms',
    summary: 'SMS extensions of a user',
    scopes: ['sms:read'],
    reply: Items(SmsExtension),
  }),
  getSms: operation({
    ...reading,
    id: 'getSms',
    method: 'GET',
    path: '/v1/{userId}/sms/{smsId}',
    summary: 'One SMS extension',
    scopes: ['sms:read'],
    reply: SmsExtension,
    errors: ['sms_not_found'],
  }),
  changeSms: operation({
    ...changing,
    id: 'changeSms',
    method: 'PUT',
    path: '/v1/{userId}/sms/{smsId}',
    summary: 'Rename an SMS extension',
    scopes: ['sms:write'],
    body: Alias,
    status: 204,
    errors: ['sms_not_found'],
  }),
  listSmsCallerIds: operation({
    ...reading,
    id: 'listSmsCallerIds',
    method: 'GET',
    path: '/v1/{userId}/sms/{smsId}/callerids',
    summary: 'Numbers that can stand as the sender of an SMS',
    scopes: ['sms:read', 'sms:callerid:read'],
    reply: Items(SmsCallerId),
    errors: ['sms_not_found'],
  }),
  createSmsCallerId: operation({
    ...changing,
    id: 'createSmsCallerId',
    method: 'POST',
    path: '/v1/{userId}/sms/{smsId}/callerids',
    summary: 'Add a sender; a code is sent to it by SMS, and sent anew when the number waits for its code already',
    scopes: ['sms:write', 'sms:callerid:write'],
    body: Input({ phonenumber: RequiredText(40) }),
    status: 201,
    reply: SmsCallerId,
    errors: ['sms_not_found', 'number_invalid', 'already_exists', 'conflict', 'rate_limited', 'line_unavailable'],
  }),
  verifySmsCallerId: operation({
    ...changing,
    id: 'verifySmsCallerId',
    method: 'POST',
    path: '/v1/{userId}/sms/{smsId}/callerids/{callerIdId}/verification',
    summary: 'Prove with the code that the number is in your hands; 10 minutes, 5 tries',
    scopes: ['sms:write', 'sms:callerid:write'],
    body: Input({ code: RequiredText(16) }),
    status: 204,
    errors: ['sms_not_found', 'caller_id_not_found', 'verification_code_unknown', 'verification_code_spent'],
  }),
  changeSmsCallerId: operation({
    ...changing,
    id: 'changeSmsCallerId',
    method: 'PUT',
    path: '/v1/{userId}/sms/{smsId}/callerids/{callerIdId}',
    summary: 'Make a verified number the sender that is used by default, or no longer',
    scopes: ['sms:write', 'sms:callerid:write'],
    body: Input({ defaultNumber: Type.Boolean() }),
    status: 204,
    errors: ['sms_not_found', 'caller_id_not_found', 'conflict'],
  }),
  deleteSmsCallerId: operation({
    ...changing,
    id: 'deleteSmsCallerId',
    method: 'DELETE',
    path: '/v1/{userId}/sms/{smsId}/callerids/{callerIdId}',
    summary: 'Remove a sender',
    scopes: ['sms:write', 'sms:callerid:write'],
    status: 204,
    errors: ['sms_not_found', 'caller_id_not_found'],
  }),
  getSmppLogin: operation({
    ...reading,
    id: 'getSmppLogin',
    method: 'GET',
    path: '/v1/{userId}/sms/{smsId}/smpplogin',
    summary: 'With which name a program sends and receives the messages of an SMS extension over SMPP',
    scopes: ['sms:read'],
    reply: SmppLogin,
    errors: ['sms_not_found', 'smpp_login_not_found'],
  }),
  createSmppLogin: operation({
    ...changing,
    id: 'createSmppLogin',
    method: 'POST',
    path: '/v1/{userId}/sms/{smsId}/smpplogin',
    summary: 'Let a program send and receive over SMPP; the password is shown only here, an earlier one ends',
    scopes: ['sms:write'],
    status: 201,
    reply: Output({ ...SmppLogin.properties, password: Type.String({ description: '8 characters: SMPP has room for no more' }) }),
    errors: ['sms_not_found', 'line_unavailable'],
  }),
  deleteSmppLogin: operation({
    ...changing,
    id: 'deleteSmppLogin',
    method: 'DELETE',
    path: '/v1/{userId}/sms/{smsId}/smpplogin',
    summary: 'Programs with this login are disconnected; what waited for them is forgotten',
    scopes: ['sms:write'],
    status: 204,
    errors: ['sms_not_found', 'smpp_login_not_found'],
  }),
}
