import { Problem } from '@offhook/contract/problem.ts'
import type { ErrorCode } from '@offhook/contract/errors.ts'
import { StoreUnavailable } from '#core/kernel/ports/store/index.ts'
import { CapacityExceeded, type Cause } from '#core/kernel/ports/telephony.ts'

/** What says the most about the callee stands first. */
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

/** Of several reasons why a call was not taken, the one that the caller hears. */
export const highestPriorityCause = (causes: readonly Cause[]): Cause => byWeight.find((cause) => causes.includes(cause)) ?? 'unavailable'

/** The account may not spend more, though it could. */
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

/** What a phone is told when a rule says no or there is no room; undefined when it is a fault. */
export const causeOf = (error: unknown): Cause | undefined => {
  if (error instanceof CapacityExceeded) return 'overloaded'
  if (error instanceof StoreUnavailable) return 'out_of_service'
  return error instanceof Problem ? ofProblems[error.code] : undefined
}
