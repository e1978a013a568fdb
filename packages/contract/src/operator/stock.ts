import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Items, OneOf, Output, RequiredText, Timestamp } from '../values.ts'
import { largestAmount } from '../v1/balance.ts'
import { stockSearchFields } from '../v1/numbers/number-stock.ts'

const refusals = ['invalid', 'in_use', 'in_stock'] as const

const OperatorStockNumber = Output({
  id: Type.String(),
  number: Type.String(),
  country: Type.String(),
  area: Type.String(),
  price: Type.Integer(),
  numberId: Type.Optional(Type.String({ description: 'An account has it' })),
  restsUntil: Type.Optional(Timestamp),
})

const common = { auth: 'operator', bearer: true } as const

export const operatorStockOperations = {
  readStock: operation({
    id: 'readStock',
    method: 'GET',
    path: '/operator/v1/stock',
    summary: 'The numbers in stock, free or ordered, in their order',
    ...common,
    query: Input(stockSearchFields),
    status: 200,
    reply: Items(OperatorStockNumber),
  }),
  addStock: operation({
    id: 'addStock',
    method: 'POST',
    path: '/operator/v1/stock',
    summary: 'Put numbers into stock, which administrators of accounts can then order; those that cannot be there are named',
    ...common,
    body: Input({
      numbers: Type.Array(RequiredText(40), { minItems: 1, maxItems: 1000 }),
      price: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: largestAmount,
          description: 'Paid once, in ten-thousandths of the currency unit; 0 unless told',
        }),
      ),
    }),
    bodyLimit: 128 * 1024,
    status: 200,
    reply: Output({
      added: Type.Integer(),
      refused: Type.Array(Output({ number: Type.String(), reason: OneOf(refusals) })),
    }),
  }),
  removeStock: operation({
    id: 'removeStock',
    method: 'DELETE',
    path: '/operator/v1/stock/{stockId}',
    summary: 'Take a number out of stock; an account that has it keeps it',
    ...common,
    status: 204,
    errors: ['number_not_found'],
  }),
}
