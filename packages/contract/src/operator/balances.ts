import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { heldLimitFields, largestAmount, ledgerEntryFields, LedgerPage, purseFields } from '../v1/balance.ts'
import { Input, Output, RequiredText } from '../values.ts'

const LedgerEntry = Output({ ...ledgerEntryFields, actor: Type.String() })

const reason = RequiredText(500)
const idempotencyKey = Type.String({ minLength: 1, maxLength: 255, description: 'The same key moves the money once' })

export const limitFields = {
  perDay: Type.Optional(
    Type.Integer({ minimum: 0, maximum: largestAmount, description: 'The most that calls, faxes and messages may cost in a day (UTC)' }),
  ),
  paidCalls: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000, description: 'Calls that cost something, at the same time' })),
  opened: Type.Optional(
    Type.Array(Type.Union([Type.String({ pattern: '^([A-Z]{2}|[1-9][0-9]{0,14})$' }), Type.String({ pattern: '^[A-Z]{2}:[0-9]{0,6}$' })]), {
      maxItems: 300,
      uniqueItems: true,
      description:
        'Destinations of risk that are open: countries (ISO 3166), beginnings of numbers without plus, and short numbers of a country that are not known to be in service: DE: for all, DE:33 for those that begin so',
    }),
  ),
}

const common = { auth: 'operator', bearer: true } as const

export const operatorBalanceOperations = {
  readBalance: operation({
    id: 'readBalance',
    method: 'GET',
    path: '/operator/v1/balances/{accountId}',
    summary: 'The purse of an account with a page of its ledger, newest first',
    ...common,
    query: LedgerPage,
    status: 200,
    reply: Output({ ...purseFields, items: Type.Array(LedgerEntry) }),
    errors: ['account_not_found'],
  }),
  topUpBalance: operation({
    id: 'topUpBalance',
    method: 'POST',
    path: '/operator/v1/balances/{accountId}/topups',
    summary: 'Book a payment',
    ...common,
    body: Input({ amount: Type.Integer({ minimum: 1, maximum: largestAmount }), reason, idempotencyKey }),
    status: 201,
    reply: Output(purseFields),
    errors: ['account_not_found', 'idempotency_mismatch'],
  }),
  adjustBalance: operation({
    id: 'adjustBalance',
    method: 'POST',
    path: '/operator/v1/balances/{accountId}/adjustments',
    summary: 'Correct the balance by hand; a negative amount takes money away',
    ...common,
    body: Input({ amount: Type.Integer({ minimum: -largestAmount, maximum: largestAmount }), reason, idempotencyKey }),
    status: 201,
    reply: Output(purseFields),
    errors: ['account_not_found', 'insufficient_funds', 'idempotency_mismatch'],
  }),
  setCreditLimit: operation({
    id: 'setCreditLimit',
    method: 'PUT',
    path: '/operator/v1/balances/{accountId}/creditlimit',
    summary: 'How far below zero an account may go; 0 is strictly prepaid',
    ...common,
    body: Input({ creditLimit: Type.Integer({ minimum: 0, maximum: largestAmount }) }),
    status: 204,
    errors: ['account_not_found', 'conflict'],
  }),
  readAccountLimits: operation({
    id: 'readAccountLimits',
    method: 'GET',
    path: '/operator/v1/balances/{accountId}/limits',
    summary: 'What holds for an account, how much of it is used, and what was set for it',
    ...common,
    status: 200,
    reply: Output({
      ...heldLimitFields,
      set: Output({ ...limitFields, ownPerDay: Type.Optional(Type.Integer({ description: 'Set by the customer' })) }),
    }),
    errors: ['account_not_found'],
  }),
  setAccountLimits: operation({
    id: 'setAccountLimits',
    method: 'PUT',
    path: '/operator/v1/balances/{accountId}/limits',
    summary: 'Set the limits of an account; what is left out is as for the whole installation',
    ...common,
    body: Input(limitFields),
    status: 204,
    errors: ['account_not_found'],
  }),
}
