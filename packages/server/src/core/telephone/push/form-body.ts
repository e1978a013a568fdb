import { digits } from '#core/kernel/phone-numbers/phone-number.ts'
import type { HangupCause, DescribableCall, DescribableUser } from '#core/kernel/ports/calls.ts'

export interface AnswerFacts {
  /** E.164, or an extension without a number. */
  answeringNumber: string
  /** Owner of the phone, if it belongs to the account. */
  user: DescribableUser | undefined
}

export interface HangupFacts {
  cause: HangupCause
  /** Undefined when the call was not answered. */
  answeringNumber: string | undefined
}

/** Name and value pairs in sending order. */
type Fields = readonly [name: string, value: string][]

export const newCallBody = (call: DescribableCall): string =>
  encoded([
    ['event', 'newCall'],
    ...parties(call),
    ['callId', call.callId],
    ['origCallId', call.origCallId],
    ...forEach(call.users, 'user[]', ({ name }) => name),
    ...forEach(call.users, 'userId[]', ({ id }) => id),
    ...forEach(call.users, 'fullUserId[]', (user) => fullUserId(call, user)),
    ['xcid', call.origCallId],
    ...diversion(call),
  ])

export const answerBody = (call: DescribableCall, { answeringNumber, user }: AnswerFacts): string =>
  encoded([
    ['event', 'answer'],
    ['callId', call.callId],
    ...(call.direction === 'in' && user ? answeringUser(call, user) : []),
    ...parties(call),
    ['answeringNumber', digits(answeringNumber)],
    ...diversion(call),
  ])

export const hangupBody = (call: DescribableCall, { cause, answeringNumber = '' }: HangupFacts): string =>
  encoded([
    ['event', 'hangup'],
    ['cause', cause],
    ['callId', call.callId],
    ...parties(call),
    ['answeringNumber', digits(answeringNumber)],
    ...diversion(call),
  ])

export const dtmfBody = ({ callId }: DescribableCall, keys: string): string =>
  encoded([
    ['event', 'dtmf'],
    ['dtmf', keys],
    ['callId', callId],
  ])

/** Brackets are percent-encoded, too: otherwise clients lose the users. */
const encoded = (fields: Fields): string => new URLSearchParams(fields).toString()

/** The same fields as JSON: those that repeat are lists. */
export const asJson = (form: string): string => {
  const fields = new URLSearchParams(form)
  const named = [...new Set(fields.keys())].map((name) =>
    name.endsWith('[]') ? [`${name.slice(0, -2)}s`, fields.getAll(name)] : [name, fields.get(name)],
  )
  return JSON.stringify(Object.fromEntries(named))
}

const forEach = (users: readonly DescribableUser[], name: string, of: (user: DescribableUser) => string): Fields =>
  users.map((user) => [name, of(user)])

const parties = ({ from, to, direction }: DescribableCall): Fields => [
  ['from', from === undefined ? 'anonymous' : digits(from)],
  ['to', digits(to)],
  ['direction', direction],
]

const diversion = ({ diversion: by }: DescribableCall): Fields => (by === undefined ? [] : [['diversion', digits(by)]])

const answeringUser = (call: DescribableCall, user: DescribableUser): Fields => [
  ['user', user.name],
  ['userId', user.id],
  ['fullUserId', fullUserId(call, user)],
]

const fullUserId = ({ accountId }: DescribableCall, { id }: DescribableUser): string => `${accountId}${id}`
