import { Type, type Static } from 'typebox'
import { OneOf, Output } from '../values.ts'
import { Variables } from './variables.ts'

/** A call of an assistant. Numbers are E.164 digits without the plus sign; a caller with a withheld number is `anonymous`. */
export const Session = Output({
  id: Type.String({
    description:
      'The callId of /v2 and the sessionId that starting a call returns. A later assistant of the same call has .2 and so on after it',
  }),
  call_id: Type.Optional(Type.String({ description: 'The callId of /v2 where it is not the id: after a transfer from another assistant' })),
  account_id: Type.String(),
  phone_number: Type.String({ description: 'Inbound: the number that was called. Outbound: the number that is called.' }),
  direction: Type.Optional(OneOf(['inbound', 'outbound'])),
  from_phone_number: Type.Optional(Type.String()),
  to_phone_number: Type.Optional(Type.String()),
  variables: Type.Optional(Variables),
  correlation_id: Type.Optional(Type.String({ description: 'As given when the call was ordered' })),
})
export type Session = Static<typeof Session>

/** End reasons of a session. The list is closed. */
export const sessionEndReasons = [
  'caller_hangup',
  'callee_hangup',
  'assistant_hangup',
  'api_hangup',
  'transferred',
  'no_answer',
  'busy',
  'rejected',
  'failed',
  'endpoint_unavailable',
  'max_duration',
  'silence_timeout',
  'media_timeout',
  'insufficient_funds',
  'service_shutdown',
  'service_failure',
] as const
export type SessionEndReason = (typeof sessionEndReasons)[number]

/** Assistants that one call can have; transfers are limited further. */
const maxSessions = 30

/** `nth`: from 1; the first session of a call has its id. */
export const sessionIdOf = (callId: string, nth: number): string => (nth === 1 ? callId : `${callId}.${nth}`)

export const callIdOf = (sessionId: string): string => sessionId.replace(/\.\d{1,2}$/, '')

/** All that a call may have. */
export const sessionIdsOf = (callId: string): string[] => Array.from({ length: maxSessions }, (_, at) => sessionIdOf(callId, at + 1))
