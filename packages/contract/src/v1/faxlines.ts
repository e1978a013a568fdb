import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { DisplayName, Input, Items, Output, Text, Value, ValueText } from '../values.ts'
import { NumberElement } from './numbers/number-element.ts'

export const Faxline = Output({
  id: Type.String(),
  alias: Type.String(),
  tagline: Type.String({ description: 'Printed at the top of every page' }),
  canSend: Type.Boolean(),
  canReceive: Type.Boolean(),
})

const reading = { auth: 'user', bearer: true, permission: 'CAN_GET_FAXLINES', status: 200 } as const
const changing = { auth: 'user', bearer: true, permission: 'CAN_CHANGE_FAXLINES', scopes: ['faxlines:write'], status: 204 } as const

export const faxlineOperations = {
  listFaxlines: operation({
    ...reading,
    id: 'listFaxlines',
    method: 'GET',
    path: '/v1/{userId}/faxlines',
    summary: 'Fax lines of a user',
    scopes: ['faxlines:read'],
    reply: Items(Faxline),
  }),
  getFaxline: operation({
    ...reading,
    id: 'getFaxline',
    method: 'GET',
    path: '/v1/{userId}/faxlines/{faxlineId}',
    summary: 'One fax line',
    scopes: ['faxlines:read'],
    reply: Faxline,
    errors: ['faxline_not_found'],
  }),
  changeFaxline: operation({
    ...changing,
    id: 'changeFaxline',
    method: 'PUT',
    path: '/v1/{userId}/faxlines/{faxlineId}',
    summary: 'Change name or tagline of a fax line; a field that is left out stays',
    body: Input({ alias: Type.Optional(DisplayName), tagline: Type.Optional(Text(50)) }),
    errors: ['faxline_not_found'],
  }),
  listFaxlineNumbers: operation({
    ...reading,
    id: 'listFaxlineNumbers',
    method: 'GET',
    path: '/v1/{userId}/faxlines/{faxlineId}/numbers',
    summary: 'Numbers that lead to the fax line',
    scopes: ['faxlines:read', 'faxlines:numbers:read'],
    reply: Items(NumberElement),
    errors: ['faxline_not_found'],
  }),
  getFaxlineCallerId: operation({
    ...reading,
    id: 'getFaxlineCallerId',
    method: 'GET',
    path: '/v1/{userId}/faxlines/{faxlineId}/callerid',
    summary: 'Number that receivers of faxes see; empty when none is chosen',
    scopes: ['faxlines:read'],
    reply: Value,
    errors: ['faxline_not_found'],
  }),
  setFaxlineCallerId: operation({
    ...changing,
    id: 'setFaxlineCallerId',
    method: 'PUT',
    path: '/v1/{userId}/faxlines/{faxlineId}/callerid',
    summary: 'Choose the number that receivers of faxes see; an empty text clears it',
    body: ValueText(40),
    errors: ['faxline_not_found', 'number_invalid', 'caller_id_not_owned'],
  }),
}
