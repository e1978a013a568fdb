import { Type } from 'typebox'
import { operation } from '../../operation.ts'
import { scopes } from '../../scopes.ts'
import { toolNames } from '../../tools.ts'
import { Input, Items, OneOf, Output, Timestamp } from '../../values.ts'
import { largestAmount } from '../balance.ts'

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

const TimeOfDay = Type.String({
  pattern: '^(?:[01]\\d|2[0-3]):[0-5]\\d$|^24:00$',
  description: 'Such as 08:30; 24:00 is the end of the day',
})

/** A phone number, a number prefix, or a line, group or device of the account. */
const AllowedNumber = Type.String({
  pattern: '^(?:\\+[1-9]\\d{0,14}\\*?|[a-y]\\d{1,9})$',
  description: '+4930123456, +4930* for all that begin so, or an extension of the account such as p0',
})

const perDay = (what: string) =>
  Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_000_000, description: `${what} in a day (UTC); without it as many as the account may` }),
  )

/** Limits of a token. Missing limits do not apply. */
export const leashRules = {
  allowedNumbers: Type.Optional(
    Type.Array(AllowedNumber, { maxItems: 500, uniqueItems: true, description: 'Who may be called and written to; an empty list: nobody' }),
  ),
  hours: Type.Optional(
    Input({
      weekdays: Type.Optional(
        Type.Array(OneOf(weekdays), { minItems: 1, maxItems: 7, uniqueItems: true, description: 'Default: every day' }),
      ),
      from: TimeOfDay,
      to: TimeOfDay,
      timeZone: Type.Optional(
        Type.String({ minLength: 1, maxLength: 64, description: 'Such as Europe/Berlin; default: that of the user' }),
      ),
    }),
  ),
  callsPerDay: perDay('Calls'),
  smsPerDay: perDay('Messages'),
  maxSpend: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: largestAmount,
      description: 'The most that what was begun in a day (UTC) may cost, in ten-thousandths of the currency unit',
    }),
  ),
  confirm: Type.Optional(
    OneOf(['none', 'client'], {
      description: 'client: the program must ask its user before each call and message (MCP: elicitation); default none',
    }),
  ),
  tools: Type.Optional(
    Type.Array(OneOf(toolNames), {
      maxItems: toolNames.length,
      uniqueItems: true,
      description: 'Which tools it allows, here and over MCP; default all but edit_draft, publish and rollback',
    }),
  ),
}

export const LeashRules = Input(leashRules)

export const Leash = Output({
  leashId: Type.String({ description: 'The tokenId of a personal token, or the clientId of an app' }),
  holder: OneOf(['token', 'client']),
  name: Type.String({ description: 'Of the token or app' }),
  ...leashRules,
  used: Output({
    calls: Type.Integer(),
    sms: Type.Integer(),
    spent: Type.Integer({ description: 'Paid, and held for what is under way, in ten-thousandths of the currency unit' }),
  }),
  resetsAt: Timestamp,
})

const common = { auth: 'user', bearer: true, scopes: ['internal'], permission: 'CAN_MANAGE_TOKENS' } as const

/** Limits for programs that act for a user. */
export const leashOperations = {
  listLeashes: operation({
    id: 'listLeashes',
    method: 'GET',
    path: '/v1/authorization/leashes',
    summary: 'The leashes of the caller’s personal tokens and apps, with what is used of them today',
    ...common,
    status: 200,
    reply: Items(Leash),
  }),
  getLeash: operation({
    id: 'getLeash',
    method: 'GET',
    path: '/v1/authorization/leashes/{leashId}',
    summary: 'One leash, with what is used of it today',
    ...common,
    status: 200,
    reply: Leash,
    errors: ['leash_not_found'],
  }),
  setLeash: operation({
    id: 'setLeash',
    method: 'PUT',
    path: '/v1/authorization/leashes/{leashId}',
    summary: 'Hold a personal token, or an app, by a leash; what is left out is no longer limited',
    description:
      '`leashId` is the `tokenId` of a personal token of the caller, or the `clientId` of an app. The leash holds wherever the token is used: ' +
      'it may read what its scopes allow, except credentials, start calls (`startCall`, `callFlow`) and send messages (`sendSms`) within the ' +
      'leash, use the operations of the tools that it allows, and change nothing else. It never reaches the rescue services. A call counts for ' +
      'the day on which it began. Every use and every refusal is in the audit log.',
    ...common,
    body: LeashRules,
    status: 204,
    errors: ['not_found'],
  }),
  removeLeash: operation({
    id: 'removeLeash',
    method: 'DELETE',
    path: '/v1/authorization/leashes/{leashId}',
    summary: 'Take a leash off: the token or app may do what its scopes allow',
    ...common,
    status: 204,
    errors: ['leash_not_found'],
  }),
  getAccess: operation({
    id: 'getAccess',
    method: 'GET',
    path: '/v1/authorization/access',
    summary: 'What the token of this request may do: its scopes, and its leash if it has one',
    auth: 'user',
    bearer: true,
    scopes,
    status: 200,
    reply: Output({ scopes: Type.Array(Type.String()), leash: Type.Optional(Leash) }),
  }),
}
