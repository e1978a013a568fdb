import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { ledgerEntryFields, LedgerPage, purseFields } from '../v1/balance.ts'
import { Input, Output, RequiredText } from '../values.ts'

/** Ten-thousandths of the currency unit; ten million units at most. */
const largest = 100_000_000_000

const LedgerEntry = Output({ ...ledgerEntryFields, actor: Type.String() })

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
    body: Input({ amount: Type.Integer({ minimum: 1, maximum: largest }), reason, idempotencyKey }),
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
    body: Input({ amount: Type.Integer({ minimum: -largest, maximum: largest }), reason, idempotencyKey }),
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
    body: Input({ creditLimit: Type.Integer({ minimum: 0, maximum: largest }) }),
    status: 204,
    errors: ['account_not_found', 'conflict'],
  }),
}
