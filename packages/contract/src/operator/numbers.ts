import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { NumberElement } from '../v1/numbers/number-element.ts'
import { Input, Items, Output, RequiredText, Text, Timestamp } from '../values.ts'
import { Page } from './values.ts'

export const OperatorNumber = Output({
  ...NumberElement.properties,
  accountId: Type.String(),
  addressId: Type.Optional(Type.String()),
  decideBy: Type.Optional(Timestamp),
})

const common = { auth: 'operator', bearer: true } as const
const one = { path: '/operator/v1/numbers/{numberId}', ...common } as const

export const operatorNumberOperations = {
  listAllNumbers: operation({
    id: 'listAllNumbers',
    method: 'GET',
    path: '/operator/v1/numbers',
    summary: 'Numbers of all accounts, or of one, by id',
    ...common,
    query: Input({ ...Page.properties, accountId: Type.Optional(Text(64)), number: Type.Optional(Text(40)) }),
    status: 200,
    reply: Items(OperatorNumber),
  }),
  assignNumber: operation({
    id: 'assignNumber',
    method: 'POST',
    path: '/operator/v1/numbers',
    summary: 'Give an account a number; a German landline number needs an address in its area',
    ...common,
    body: Input({
      accountId: RequiredText(64),
      number: Type.String({ maxLength: 40, description: 'E.164 with the plus sign' }),
      addressId: Type.Optional(RequiredText(20)),
    }),
    status: 201,
    reply: OperatorNumber,
    errors: ['account_not_found', 'number_invalid', 'already_exists'],
  }),
  readNumber: operation({
    id: 'readNumber',
    method: 'GET',
    ...one,
    summary: 'One number',
    status: 200,
    reply: OperatorNumber,
    errors: ['number_not_found'],
  }),
  releaseNumber: operation({
    id: 'releaseNumber',
    method: 'DELETE',
    ...one,
    summary: 'Take a number from its account',
    status: 204,
    errors: ['number_not_found', 'conflict'],
  }),
  deactivateNumber: operation({
    id: 'deactivateNumber',
    method: 'POST',
    ...common,
    path: '/operator/v1/numbers/{numberId}/deactivate',
    summary: 'Take a number out of service; it stays with its account',
    status: 204,
    errors: ['number_not_found', 'conflict'],
  }),
  reactivateNumber: operation({
    id: 'reactivateNumber',
    method: 'POST',
    ...common,
    path: '/operator/v1/numbers/{numberId}/reactivate',
    summary: 'Put a deactivated number back into service, if its address allows it',
    status: 204,
    errors: ['number_not_found', 'conflict', 'already_exists'],
  }),
  confirmNumber: operation({
    id: 'confirmNumber',
    method: 'POST',
    ...common,
    path: '/operator/v1/numbers/{numberId}/confirm',
    summary: 'Decide that a number may be used at its new address',
    status: 204,
    errors: ['number_not_found', 'conflict'],
  }),
}
