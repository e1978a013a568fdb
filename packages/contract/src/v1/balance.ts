import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Output, Timestamp } from '../values.ts'
import { statementOperations } from './balance/statements.ts'
import { usageOperations } from './balance/usage.ts'

/** All amounts are ten-thousandths of the currency unit. */
export const purseFields = {
  currency: Type.String({ description: 'ISO 4217' }),
  amount: Type.Integer({ description: 'Booked, in ten-thousandths of the currency unit' }),
  reserved: Type.Integer({ description: 'Held for calls, faxes and messages that are under way' }),
  creditLimit: Type.Integer({ description: 'How far below zero the account may go' }),
}

export const ledgerEntryFields = {
  id: Type.String(),
  position: Type.Integer({ description: 'Pages continue from it' }),
  amount: Type.Integer(),
  reason: Type.String(),
  sessionId: Type.Optional(Type.String()),
  at: Timestamp,
}

export const LedgerPage = Input({
  before: Type.Optional(
    Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'The position of the last entry that was read' }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
})

/** Ten-thousandths of the currency unit; at most ten million units. */
export const largestAmount = 100_000_000_000

/** Limits of an account, and their current usage. */
export const heldLimitFields = {
  perDay: Type.Integer({
    description: 'The most that calls, faxes and messages may cost in a day (UTC), in ten-thousandths of the currency unit',
  }),
  mostPerDay: Type.Integer({ description: 'What the operator allows; perDay is never more' }),
  perCall: Type.Optional(Type.Integer({ description: 'The most that one call may cost; then it ends with an announcement' })),
  warnBelow: Type.Optional(Type.Integer({ description: 'Administrators are told when the balance falls below it' })),
  spentToday: Type.Integer(),
  heldToday: Type.Integer({ description: 'Held for what was begun today and is under way' }),
  resetsAt: Timestamp,
  paidCalls: Type.Integer({ description: 'How many calls that cost something may run at the same time' }),
  paidCallsNow: Type.Integer(),
  openedDestinations: Type.Array(Type.String(), {
    description: 'Countries (ISO 3166), beginnings of numbers, and of short numbers (DE:33), that are open besides the usual ones',
  }),
}

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
  readLedger: operation({
    id: 'readLedger',
    heavy: true,
    method: 'GET',
    path: '/v1/balance/ledger',
    summary: 'The purse of the account with a page of what was paid in and spent, newest first',
    auth: 'user',
    bearer: true,
    scopes: ['balance:read'],
    permission: 'CAN_GET_ACCOUNT_BALANCE',
    query: LedgerPage,
    status: 200,
    reply: Output({ ...purseFields, items: Type.Array(Output(ledgerEntryFields)) }),
  }),
  readLimits: operation({
    id: 'readLimits',
    method: 'GET',
    path: '/v1/balance/limits',
    summary: 'What the account may spend in a day, and how much of it is spent',
    auth: 'user',
    bearer: true,
    scopes: ['balance:read'],
    permission: 'CAN_GET_ACCOUNT_BALANCE',
    status: 200,
    reply: Output({
      ...heldLimitFields,
      topUpUrl: Type.Optional(Type.String({ description: 'Where the operator takes payments' })),
      topUpText: Type.Optional(Type.String({ description: 'How money is paid in, in the words of the operator' })),
    }),
  }),
  changeLimits: operation({
    id: 'changeLimits',
    method: 'PUT',
    path: '/v1/balance/limits',
    summary: 'Lower what the account may spend in a day and in a call, and say when to warn; without perDay what the operator allows holds',
    auth: 'user',
    bearer: true,
    scopes: ['account:write'],
    permission: 'CAN_CHANGE_LIMITS',
    body: Input({
      perDay: Type.Optional(Type.Integer({ minimum: 0, maximum: largestAmount })),
      perCall: Type.Optional(Type.Integer({ minimum: 1, maximum: largestAmount, description: 'Left out: no limit' })),
      warnBelow: Type.Optional(Type.Integer({ minimum: 1, maximum: largestAmount, description: 'Left out: no warning' })),
    }),
    status: 204,
  }),
  ...usageOperations,
  ...statementOperations,
}
