import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Output } from '../values.ts'

export const balanceOperations = {
  getBalance: operation({
    id: 'getBalance',
    method: 'GET',
    path: '/v1/balance',
    summary: 'What can be spent, in ten-thousandths of the currency unit',
    auth: 'user',
    bearer: true,
    scopes: ['balance:read'],
    permission: 'CAN_GET_ACCOUNT_BALANCE',
    status: 200,
    reply: Output({
      amount: Type.Integer({ description: '35000 is 3.50' }),
      currency: Type.String({ description: 'ISO 4217' }),
    }),
  }),
}
