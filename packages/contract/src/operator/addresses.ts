import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Address, addressFields } from '../v1/addresses.ts'
import { Input, Items, Output, RequiredText } from '../values.ts'

const common = { auth: 'operator', bearer: true } as const

export const operatorAddressOperations = {
  listAccountAddresses: operation({
    id: 'listAccountAddresses',
    method: 'GET',
    path: '/operator/v1/addresses',
    summary: 'The addresses of an account',
    ...common,
    query: Input({ accountId: RequiredText(64) }),
    status: 200,
    reply: Items(Address),
    errors: ['account_not_found'],
  }),
  createAddress: operation({
    id: 'createAddress',
    method: 'POST',
    path: '/operator/v1/addresses',
    summary: 'Add an address to an account',
    ...common,
    body: Input({ accountId: RequiredText(64), ...addressFields }),
    status: 201,
    reply: Output({ id: Type.String() }),
    errors: ['account_not_found'],
  }),
}
