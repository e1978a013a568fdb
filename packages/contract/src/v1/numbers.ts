import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Items, Nullable, RequiredText, Text } from '../values.ts'
import { NumberElement } from './numbers/number-element.ts'
import { numberStockOperations } from './numbers/number-stock.ts'
import { numberRecordingOperations } from './numbers/number-recording.ts'
import { numberVariablesOperations } from './numbers/number-variables.ts'

const QuickDial = Input({
  userId: RequiredText(40),
  number: Type.Optional(Type.String({ maxLength: 16, description: '2 to 5 digits; left out: the next free one, or as it is' })),
})

const NumberChange = Input({
  endpointId: Type.Optional(Nullable(Text(64))),
  releaseForMnp: Type.Optional(Type.Boolean()),
  quickDial: Type.Optional(
    Type.Boolean({
      description:
        'true: the phone line or group to which the number leads gets the next free quick dial number, unless it has one. false removes a quick dial number, and changes nothing for others',
    }),
  ),
})

export const numberOperations = {
  ...numberStockOperations,
  ...numberRecordingOperations,
  ...numberVariablesOperations,
  listNumbers: operation({
    id: 'listNumbers',
    heavy: true,
    method: 'GET',
    path: '/v1/numbers',
    summary: 'All numbers of the account for administrators, the own ones for other users',
    auth: 'user',
    bearer: true,
    scopes: ['numbers:read'],
    permission: 'CAN_GET_NUMBERS',
    status: 200,
    reply: Items(NumberElement),
  }),
  listUserNumbers: operation({
    id: 'listUserNumbers',
    heavy: true,
    method: 'GET',
    path: '/v1/{userId}/numbers',
    summary: 'Numbers that lead to a user; for an administrator also those that lead to no user (unrouted, of groups, of flows)',
    auth: 'user',
    bearer: true,
    scopes: ['numbers:read'],
    permission: 'CAN_GET_NUMBERS',
    status: 200,
    reply: Items(NumberElement),
    errors: ['user_not_found'],
  }),
  getNumber: operation({
    id: 'getNumber',
    method: 'GET',
    path: '/v1/numbers/{numberId}',
    summary: 'One number',
    auth: 'user',
    bearer: true,
    scopes: ['numbers:read'],
    status: 200,
    reply: NumberElement,
    errors: ['number_not_found'],
  }),
  changeNumber: operation({
    id: 'changeNumber',
    method: 'PUT',
    path: '/v1/numbers/{numberId}',
    summary: 'Route a number, or release it for porting to another provider',
    auth: 'user',
    bearer: true,
    scopes: ['numbers:write'],
    permission: 'CAN_CHANGE_NUMBERS',
    body: NumberChange,
    status: 204,
    errors: ['number_not_found', 'number_not_routable', 'quickdial_per_routing', 'quickdial_taken'],
  }),
  addQuickDial: operation({
    id: 'addQuickDial',
    method: 'POST',
    path: '/v1/numbers/quickdial',
    summary: 'Give a user, group or phone line a quick dial number',
    auth: 'user',
    bearer: true,
    scopes: ['numbers:write'],
    permission: 'CAN_CHANGE_QUICKDIAL',
    body: QuickDial,
    status: 204,
    errors: ['quickdial_taken', 'quickdial_per_routing'],
  }),
  validateQuickDial: operation({
    id: 'validateQuickDial',
    method: 'GET',
    path: '/v1/numbers/quickdial/validation/{quickDialNumber}',
    summary: 'Whether a quick dial number can be taken: free (204), taken (409) or refused (400)',
    auth: 'user',
    bearer: true,
    scopes: ['numbers:read'],
    permission: 'CAN_CHANGE_QUICKDIAL',
    status: 204,
    errors: ['quickdial_taken'],
  }),
  changeQuickDial: operation({
    id: 'changeQuickDial',
    method: 'PUT',
    path: '/v1/numbers/quickdial/{quickdialId}',
    summary: 'Change a quick dial number or what it leads to',
    auth: 'user',
    bearer: true,
    scopes: ['numbers:write'],
    permission: 'CAN_CHANGE_QUICKDIAL',
    body: QuickDial,
    status: 204,
    errors: ['number_not_found', 'quickdial_taken', 'quickdial_per_routing'],
  }),
  deleteQuickDial: operation({
    id: 'deleteQuickDial',
    method: 'DELETE',
    path: '/v1/numbers/quickdial/{numberId}',
    summary: 'Delete a quick dial number',
    auth: 'user',
    bearer: true,
    scopes: ['numbers:write'],
    permission: 'CAN_CHANGE_QUICKDIAL',
    status: 204,
    errors: ['number_not_found'],
  }),
}
