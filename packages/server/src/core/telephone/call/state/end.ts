import type { End, EndReason } from '#core/kernel/ports/call-end.ts'
import { StoreUnavailable } from '#core/kernel/ports/store/index.ts'
import type { Cause, LegEnd } from '#core/kernel/ports/telephony.ts'
import type { Role } from './party.ts'

export const serviceFailure: End = { by: 'service', reason: 'service_failure', cause: 'failed' }

/** Another process has the call now. The rest of it is never seen. */
export const takenOver: End = { ...serviceFailure, taken: true }

/** Whatever it was, it is our fault; when the database is away, trying again soon may help. */
export const endByFault = (error: unknown): End =>
  error instanceof StoreUnavailable ? { ...serviceFailure, cause: 'out_of_service' } : serviceFailure

/** A call ends once, for one reason: the first one given is the true one, the others are its consequences. */
export class Ending {
  #end: End | undefined
  readonly over: Promise<End>
  readonly #notify: (end: End) => void

  constructor() {
    const { promise, resolve } = Promise.withResolvers<End>()
    this.over = promise
    this.#notify = resolve
  }

  get end(): End | undefined {
    return this.#end
  }

  /** False when it was over before. */
  set(end: End): boolean {
    if (this.#end) return false
    this.#end = end
    this.#notify(end)
    return true
  }
}

/** What it means for the call that one of its phones is gone. */
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

/** What no phone said, but we did. */
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

/** No party was found that takes the call. */
export const endBySearch = (cause: Cause): End => {
  const by = ours.includes(cause) ? 'service' : ofTheNetwork.includes(cause) ? 'network' : 'callee'
  return { by, reason: unanswered[cause] ?? 'failed', cause }
}
