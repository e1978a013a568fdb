import type { Cause } from './telephony.ts'

/** Why a call is over. The list is closed: customers read these words. */
export type EndReason =
  | 'caller_hangup'
  | 'callee_hangup'
  | 'assistant_hangup'
  | 'api_hangup'
  | 'transferred'
  | 'no_answer'
  | 'busy'
  | 'rejected'
  | 'failed'
  | 'endpoint_unavailable'
  | 'max_duration'
  | 'silence_timeout'
  | 'media_timeout'
  | 'insufficient_funds'
  | 'service_shutdown'
  | 'service_failure'

export interface End {
  readonly by: 'caller' | 'callee' | 'assistant' | 'api' | 'network' | 'service'
  readonly reason: EndReason
  /** What the phones that are still there are told. */
  readonly cause: Cause
  /** Only for this process: another one goes on with the call, so nobody is told anything, and nothing is written. */
  readonly taken?: true
}
