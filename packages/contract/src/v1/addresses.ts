import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Items, Output, RequiredText, Text } from '../values.ts'
import { NumberElement } from './numbers/number-element.ts'

export const Address = Output({
  id: Type.String(),
  poBox: Type.String(),
  extendedAddress: Type.String(),
  streetAddress: Type.String(),
  locality: Type.String(),
  region: Type.String(),
  postalCode: Type.String(),
  country: Type.String({ description: 'ISO 3166 code' }),
})

/** Field names of an address in requests; the reply uses other names. */
export const addressFields = {
  countrycode: RequiredText(2),
  postcode: RequiredText(16),
  city: RequiredText(100),
  state: Type.Optional(Text(100)),
  street: Type.Optional(Text(200)),
  number: Type.Optional(Text(20)),
  address1: Type.Optional(Text(200)),
  address2: Type.Optional(Text(200)),
}

export const addressOperations = {
  listAddresses: operation({
    id: 'listAddresses',
    method: 'GET',
    path: '/v1/addresses',
    summary: 'The addresses of the account',
    auth: 'user',
    bearer: true,
    scopes: ['addresses:read'],
    permission: 'CAN_GET_ADDRESSES',
    status: 200,
    reply: Items(Address),
  }),
  getAddress: operation({
    id: 'getAddress',
    method: 'GET',
    path: '/v1/addresses/{addressId}',
    summary: 'One address',
    auth: 'user',
    bearer: true,
    scopes: ['addresses:read'],
    permission: 'CAN_GET_ADDRESSES',
    status: 200,
    reply: Address,
    errors: ['address_not_found'],
  }),
  changeAddress: operation({
    id: 'changeAddress',
    method: 'PUT',
    path: '/v1/addresses/{addressId}',
    summary: 'Move to another address; numbers that the new place does not allow are deactivated',
    auth: 'user',
    bearer: true,
    scopes: ['addresses:write'],
    permission: 'CAN_CHANGE_ADDRESSES',
    body: Input(addressFields),
    status: 204,
    errors: ['address_not_found'],
  }),
  listAddressNumbers: operation({
    id: 'listAddressNumbers',
    method: 'GET',
    path: '/v1/addresses/{addressId}/numbers',
    summary: 'Numbers that the address justifies: all for administrators, the own ones for other users',
    auth: 'user',
    bearer: true,
    scopes: ['addresses:read'],
    permission: 'CAN_GET_ADDRESSES',
    status: 200,
    reply: Items(NumberElement),
    errors: ['address_not_found'],
  }),
}
