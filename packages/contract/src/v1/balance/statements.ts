import { Type } from 'typebox'
import { operation } from '../../operation.ts'
import { Items, OneOf, Output, Timestamp } from '../../values.ts'
import { usageFields, usageTypes } from './usage.ts'

/** An invoice names its seller and the tax; without them it is a statement. */
export const statementKinds = ['STATEMENT', 'INVOICE'] as const

export const statementLineTypes = [...usageTypes, 'PAYMENT', 'ADJUSTMENT'] as const

const head = {
  month: Type.String({ description: 'Such as 2026-11' }),
  kind: OneOf(statementKinds),
  number: Type.Integer({ description: 'Counts up without gaps, for each kind' }),
  currency: Type.String({ description: 'ISO 4217' }),
  opening: Type.Integer({ description: 'Balance when the month began, in ten-thousandths of the currency unit' }),
  spent: Type.Integer(),
  closing: Type.Integer({ description: 'Balance when it was over' }),
  createdAt: Timestamp,
}

export const Statement = Output({
  ...head,
  timeZone: Type.String({ description: 'In which the month began and ended' }),
  lines: Type.Array(Output({ type: OneOf(statementLineTypes), ...usageFields }), {
    description: 'What changed the balance; spent money is negative. With the opening balance they sum up to the closing one.',
  }),
  customer: Output({ accountId: Type.String(), company: Type.String() }),
  seller: Type.Optional(Output({ name: Type.String(), address: Type.String(), taxId: Type.String() })),
  tax: Type.Optional(Output({ percent: Type.Number(), amount: Type.Integer({ description: 'Contained in what was spent' }) })),
  hash: Type.String({ description: 'SHA-256 of what it says: it is never changed' }),
})

const reading = {
  method: 'GET',
  auth: 'user',
  bearer: true,
  scopes: ['balance:read'],
  permission: 'CAN_GET_ACCOUNT_BALANCE',
  status: 200,
} as const

export const statementOperations = {
  listStatements: operation({
    ...reading,
    id: 'listStatements',
    heavy: true,
    path: '/v1/balance/statements',
    summary: 'The monthly statements of the account, newest first; a month in which nothing was booked has none',
    reply: Items(Output(head)),
  }),
  readStatement: operation({
    ...reading,
    id: 'readStatement',
    heavy: true,
    path: '/v1/balance/statements/{month}',
    summary: 'The statement of a month, such as 2026-11',
    reply: Statement,
    errors: ['statement_not_found'],
  }),
  getStatementPdf: operation({
    ...reading,
    id: 'getStatementPdf',
    heavy: true,
    path: '/v1/balance/statements/{month}/pdf',
    summary: 'The statement of a month for printing, in the language of the account',
    file: 'application/pdf',
    errors: ['statement_not_found'],
  }),
  getStatementCsv: operation({
    ...reading,
    id: 'getStatementCsv',
    heavy: true,
    path: '/v1/balance/statements/{month}/csv',
    summary: 'The statement of a month for spreadsheets',
    file: 'text/csv',
    errors: ['statement_not_found'],
  }),
}
