import { Problem } from '@offhook/contract/problem.ts'
import type { ErrorCode } from '@offhook/contract/errors.ts'
import { StoreUnavailable } from '#core/kernel/ports/store/index.ts'
import { CapacityExceeded, type Cause } from '#core/kernel/ports/telephony.ts'

/** Most significant for the callee first. */
const byWeight: readonly Cause[] = [
  'busy',
  'rejected',
  'anonymity_refused',
  'do_not_disturb',
  'no_answer',
  'payment_required',
  'daily_limit_reached',
  'call_limit_reached',
  'forbidden',
  'loop',
  'not_found',
  'not_acceptable',
  'overloaded',
  'out_of_service',
  'failed',
  'media_timeout',
  'unreachable',
  'unavailable',
  'answered_elsewhere',
  'normal',
]

/** Cause reported to the caller when several apply. */
export const highestPriorityCause = (causes: readonly Cause[]): Cause => byWeight.find((cause) => causes.includes(cause)) ?? 'unavailable'

/** A spending limit was reached although funds are left. */
export const isLimit = (cause: Cause): cause is 'daily_limit_reached' | 'call_limit_reached' =>
  cause === 'daily_limit_reached' || cause === 'call_limit_reached'

const ofProblems: Partial<Record<ErrorCode, Cause>> = {
  callee_invalid: 'not_found',
  destination_blocked: 'forbidden',
  destination_closed: 'forbidden',
  insufficient_funds: 'payment_required',
  daily_limit_reached: 'daily_limit_reached',
  call_limit_reached: 'call_limit_reached',
  rate_limited: 'overloaded',
  call_not_allowed: 'forbidden',
  account_not_found: 'forbidden',
  device_not_found: 'forbidden',
}

/** Cause for a rejection by rule or for missing capacity; undefined for faults. */
export const causeOf = (error: unknown): Cause | undefined => {
  if (error instanceof CapacityExceeded) return 'overloaded'
  if (error instanceof StoreUnavailable) return 'out_of_service'
  return error instanceof Problem ? ofProblems[error.code] : undefined
}
