import type { End, EndReason } from '#core/kernel/ports/calls.ts'
import { StoreUnavailable } from '#core/kernel/ports/store/index.ts'
import type { Cause, LegEnd } from '#core/kernel/ports/telephony.ts'
import type { Role } from './party.ts'

export const serviceFailure: End = { by: 'service', reason: 'service_failure', cause: 'failed' }

/** Another node owns the call now. Only `taken` is used; the other fields are never shown. */
export const takenOver: End = { ...serviceFailure, taken: true }

/** The edge did not get a response in time and has asked another node. */
export const askedElsewhere: End = { ...serviceFailure, cause: 'overloaded', elsewhere: true }

/** All faults count as service failures; when the database is unavailable, the cause invites a retry. */
export const endByFault = (error: unknown): End =>
  error instanceof StoreUnavailable ? { ...serviceFailure, cause: 'out_of_service' } : serviceFailure

/** End of the call when one of its legs ends. */
export const endByLeg = (role: Role, { by, cause }: LegEnd): End => {
  if (cause === 'media_timeout') return { by: 'network', reason: 'media_timeout', cause: 'media_timeout' }
  if (by === 'peer') return { by: role, reason: role === 'caller' ? 'caller_hangup' : 'callee_hangup', cause: 'normal' }
  return { by: by === 'us' ? 'service' : 'network', reason: by === 'us' ? 'service_failure' : 'failed', cause: 'failed' }
}

const unanswered: Partial<Record<Cause, EndReason>> = {
  normal: 'callee_hangup',
  busy: 'busy',
  do_not_disturb: 'busy',
  no_answer: 'no_answer',
  rejected: 'rejected',
  anonymity_refused: 'rejected',
  forbidden: 'rejected',
  payment_required: 'insufficient_funds',
  daily_limit_reached: 'insufficient_funds',
  call_limit_reached: 'insufficient_funds',
  out_of_service: 'service_failure',
}

/** Causes set by this service, not by a phone. */
const ours: readonly Cause[] = [
  'payment_required',
  'daily_limit_reached',
  'call_limit_reached',
  'forbidden',
  'not_found',
  'loop',
  'out_of_service',
]
const ofTheNetwork: readonly Cause[] = ['overloaded', 'failed', 'media_timeout', 'unreachable']

/** No party answered the call. */
export const endBySearch = (cause: Cause): End => {
  const by = ours.includes(cause) ? 'service' : ofTheNetwork.includes(cause) ? 'network' : 'callee'
  return { by, reason: unanswered[cause] ?? 'failed', cause }
}
