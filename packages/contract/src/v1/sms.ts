import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Items, Output, RequiredText } from '../values.ts'
import { Alias } from './phonelines.ts'
import { smppLoginOperations } from './sms/smpp-login.ts'

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
  ...smppLoginOperations,
}
