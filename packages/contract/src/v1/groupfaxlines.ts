import { operation } from '../operation.ts'
import { Items, Value, ValueText } from '../values.ts'
import { NumberElement } from './numbers/number-element.ts'

export const groupFaxlineOperations = {
  getGroupFaxlineCallerId: operation({
    id: 'getGroupFaxlineCallerId',
    method: 'GET',
    path: '/v1/groupfaxlines/{faxlineId}/callerid',
    summary: 'Number that receivers of faxes from a group see; empty when none is chosen',
    auth: 'user',
    bearer: true,
    scopes: ['groups:faxlines:read'],
    permission: 'CAN_GET_GROUPS',
    scoped: true,
    status: 200,
    reply: Value,
    errors: ['faxline_not_found'],
  }),
  setGroupFaxlineCallerId: operation({
    id: 'setGroupFaxlineCallerId',
    method: 'PUT',
    path: '/v1/groupfaxlines/{faxlineId}/callerid',
    summary: 'Choose the number that receivers of faxes from a group see; an empty text clears it',
    auth: 'user',
    bearer: true,
    scopes: ['faxlines:write'],
    permission: 'CAN_CHANGE_GROUPS',
    scoped: true,
    body: ValueText(40),
    status: 204,
    errors: ['faxline_not_found', 'number_invalid', 'caller_id_not_owned'],
  }),
  listGroupFaxlineNumbers: operation({
    id: 'listGroupFaxlineNumbers',
    method: 'GET',
    path: '/v1/groupfaxlines/{faxlineId}/numbers',
    summary: 'Numbers that lead to the fax line of a group',
    auth: 'user',
    bearer: true,
    scopes: ['groups:faxlines:read', 'groups:numbers:read'],
    permission: 'CAN_GET_GROUPS',
    scoped: true,
    status: 200,
    reply: Items(NumberElement),
    errors: ['faxline_not_found'],
  }),
}
