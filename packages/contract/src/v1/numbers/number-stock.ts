import { Type } from 'typebox'
import { operation } from '../../operation.ts'
import { Input, Output, RequiredText } from '../../values.ts'
import { NumberElement } from './number-element.ts'

const Digits = (maxLength: number, description: string) => Type.Optional(Type.String({ maxLength, pattern: '^[0-9]+$', description }))

export const StockElement = Output({
  id: Type.String(),
  number: Type.String({ description: 'E.164 with the plus sign' }),
  localized: Type.String({ description: 'As it is written in the country of the account' }),
  country: Type.String({ description: 'ISO 3166; empty for numbers that belong to no country' }),
  area: Type.String({ description: 'German landline numbers: the area code, without 0; else empty' }),
  place: Type.String({ description: 'The largest place of that area that we know; else empty' }),
  price: Type.Integer({ description: "Paid once, with the order, in ten-thousandths of the currency unit of the account's purse" }),
  needsAddress: Type.Boolean({ description: 'An address of the account in the area of the number must be named with the order' }),
})

export const stockSearchFields = {
  country: Type.Optional(Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166' })),
  area: Digits(6, 'The area code, without 0'),
  digits: Digits(15, 'Somewhere in the number'),
  after: Type.Optional(Type.String({ maxLength: 20, description: 'The number of the last element of the page before' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
}

const ordering = { auth: 'user', bearer: true, scopes: ['numbers:write'], permission: 'CAN_ORDER_NUMBERS' } as const

export const numberStockOperations = {
  listStock: operation({
    id: 'listStock',
    method: 'GET',
    path: '/v1/numbers/stock',
    summary: 'Numbers that can be ordered now',
    auth: 'user',
    bearer: true,
    scopes: ['numbers:read'],
    permission: 'CAN_ORDER_NUMBERS',
    query: Input(stockSearchFields),
    status: 200,
    reply: Output({ items: Type.Array(StockElement), currency: Type.String({ description: 'ISO 4217' }) }),
  }),
  orderNumber: operation({
    id: 'orderNumber',
    method: 'POST',
    path: '/v1/numbers/orders',
    summary: 'Get a number from stock; it works at once, unless its address has to be looked at',
    ...ordering,
    body: Input({
      stockId: RequiredText(64),
      addressId: Type.Optional(RequiredText(20)),
      endpointId: Type.Optional(RequiredText(64)),
    }),
    status: 201,
    reply: NumberElement,
    errors: ['number_gone', 'insufficient_funds', 'already_exists'],
  }),
  returnNumber: operation({
    id: 'returnNumber',
    method: 'DELETE',
    path: '/v1/numbers/{numberId}',
    summary: 'Give a number from stock back; nobody gets it for 90 days',
    ...ordering,
    status: 204,
    errors: ['number_not_found', 'number_not_returnable', 'conflict'],
  }),
}
