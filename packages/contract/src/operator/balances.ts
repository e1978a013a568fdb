import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Output, RequiredText, Timestamp } from '../values.ts'

/** Ten-thousandths of the currency unit; ten million units at most. */
const largest = 100_000_000_000

const money = {
  currency: Type.String({ description: 'ISO 4217' }),
  amount: Type.Integer({ description: 'Booked, in ten-thousandths of the currency unit' }),
  reserved: Type.Integer({ description: 'Held for calls, faxes and messages that are under way' }),
  creditLimit: Type.Integer({ description: 'How far below zero the account may go' }),
}

const LedgerEntry = Output({
  id: Type.String(),
  position: Type.Integer({ description: 'Pages continue from it' }),
  amount: Type.Integer(),
  reason: Type.String(),
  sessionId: Type.Optional(Type.String()),
  actor: Type.String(),
  at: Timestamp,
})

const reason = RequiredText(500)
const idempotencyKey = Type.String({ minLength: 1, maxLength: 255, description: 'The same key moves the money once' })

const common = { auth: 'operator', bearer: true } as const

export const operatorBalanceOperations = {
  readBalance: operation({
    id: 'readBalance',
    method: 'GET',
    path: '/operator/v1/balances/{accountId}',
    summary: 'The purse of an account with a page of its ledger, newest first',
    ...common,
    query: Input({
      before: Type.Optional(Type.Integer({ minimum: 1 })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
    }),
    status: 200,
    reply: Output({ ...money, items: Type.Array(LedgerEntry) }),
    errors: ['account_not_found'],
  }),
  topUpBalance: operation({
    id: 'topUpBalance',
    method: 'POST',
    path: '/operator/v1/balances/{accountId}/topups',
    summary: 'Book a payment',
    ...common,
    body: Input({ amount: Type.Integer({ minimum: 1, maximum: largest }), reason, idempotencyKey }),
    status: 201,
    reply: Output(money),
    errors: ['account_not_found', 'idempotency_mismatch'],
  }),
  adjustBalance: operation({
    id: 'adjustBalance',
    method: 'POST',
    path: '/operator/v1/balances/{accountId}/adjustments',
    summary: 'Correct the balance by hand; a negative amount takes money away',
    ...common,
    body: Input({ amount: Type.Integer({ minimum: -largest, maximum: largest }), reason, idempotencyKey }),
    status: 201,
    reply: Output(money),
    errors: ['account_not_found', 'insufficient_funds', 'idempotency_mismatch'],
  }),
  setCreditLimit: operation({
    id: 'setCreditLimit',
    method: 'PUT',
    path: '/operator/v1/balances/{accountId}/creditlimit',
    summary: 'How far below zero an account may go; 0 is strictly prepaid',
    ...common,
    body: Input({ creditLimit: Type.Integer({ minimum: 0, maximum: largest }) }),
    status: 204,
    errors: ['account_not_found', 'conflict'],
  }),
}
