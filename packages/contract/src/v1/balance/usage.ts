import { Type } from 'typebox'
import { operation } from '../../operation.ts'
import { Input, OneOf, Output } from '../../values.ts'

export const usageKeys = ['day', 'type', 'number', 'user', 'country'] as const

/** Spending categories; FLOW is an outbound call of an assistant. */
export const usageTypes = ['CALL', 'FLOW', 'FAX', 'SMS', 'SIM', 'OTHER'] as const

/** A calendar day, as in forms. */
export const CalendarDay = Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', description: 'A day of the account, such as 2026-11-17' })

export const usageFields = {
  calls: Type.Integer({ description: 'Those that cost something' }),
  minutes: Type.Number({ description: 'Talked, to a tenth' }),
  messages: Type.Integer({ description: 'Parts of SMS' }),
  pages: Type.Integer({ description: 'Of faxes' }),
  amount: Type.Integer({ description: 'Spent, in ten-thousandths of the currency unit' }),
}

const Usage = Output({
  key: Type.String({
    description: 'The day, type, own number, id of the user or ISO 3166 country; `unknown` where the ledger does not say it',
  }),
  name: Type.Optional(Type.String({ description: 'Of a user' })),
  ...usageFields,
})

export const priceServices = ['CALL', 'SMS', 'FAX'] as const

/** ON_NET: reached without a carrier; CLOSED: fraud protection; BLOCKED: not available at any price. */
export const priceKinds = ['PAID', 'FREE', 'ON_NET', 'EMERGENCY', 'CLOSED', 'BLOCKED'] as const

export const usageOperations = {
  readUsage: operation({
    id: 'readUsage',
    heavy: true,
    method: 'GET',
    path: '/v1/balance/usage',
    summary: 'What was spent between two days, by day, type, own number, user or country: as the ledger has it',
    auth: 'user',
    bearer: true,
    scopes: ['balance:read'],
    permission: 'CAN_GET_ACCOUNT_BALANCE',
    query: Input({
      by: OneOf(usageKeys),
      from: Type.Optional(CalendarDay),
      to: Type.Optional(CalendarDay),
    }),
    status: 200,
    reply: Output({
      currency: Type.String({ description: 'ISO 4217' }),
      timeZone: Type.String({ description: 'In which days begin: that of the first administrator' }),
      from: CalendarDay,
      to: CalendarDay,
      items: Type.Array(Usage),
      total: Output(usageFields),
    }),
  }),
  readPrice: operation({
    id: 'readPrice',
    method: 'GET',
    path: '/v1/balance/price',
    summary: 'What a call, a message or a fax to a number would cost',
    auth: 'user',
    bearer: true,
    scopes: ['balance:read', 'sessions:calls:write'],
    query: Input({
      to: Type.String({ minLength: 1, maxLength: 40, description: 'As it would be dialled' }),
      service: Type.Optional(OneOf(priceServices, { description: 'CALL unless told' })),
    }),
    status: 200,
    reply: Output({
      kind: OneOf(priceKinds),
      to: Type.Optional(Type.String({ description: 'E.164, or a short number' })),
      country: Type.Optional(Type.String({ description: 'ISO 3166' })),
      currency: Type.String({ description: 'ISO 4217' }),
      connectFee: Type.Integer({ description: 'Once, when it is answered; ten-thousandths of the currency unit' }),
      perMinute: Type.Integer(),
      firstSeconds: Type.Integer({ description: 'The least that is charged' }),
      incrementSeconds: Type.Integer({ description: 'Each further begun interval of so many seconds is charged' }),
      perUnit: Type.Integer({ description: 'For each part of an SMS or page of a fax' }),
    }),
    errors: ['number_invalid'],
  }),
}
