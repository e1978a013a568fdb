import { Type } from 'typebox'
import { operation } from '../../operation.ts'
import { Output, Timestamp } from '../../values.ts'

const Addresses = Type.Array(Type.String(), { description: 'Where it binds, for example smpp://sms.example:2775' })

/** Credentials of a customer's program for an SMPP bind. */
export const SmppLogin = Output({ systemId: Type.String(), createdAt: Timestamp, addresses: Addresses })

const reading = { auth: 'user', bearer: true, permission: 'CAN_GET_SMS', status: 200 } as const
const changing = { auth: 'user', bearer: true, permission: 'CAN_CHANGE_SMS' } as const

export const smppLoginOperations = {
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
    credentials: true,
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
