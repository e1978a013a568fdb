import { Problem } from '@offhook/contract/problem.ts'
import { isLimit } from '../inbound/causes.ts'
import type { Cause } from '#core/kernel/ports/telephony.ts'

const words: Partial<Record<Cause, string>> = {
  busy: 'They are talking to somebody else.',
  do_not_disturb: 'They have “Do not disturb” on.',
  no_answer: 'Nobody answered.',
  rejected: 'They declined the call.',
  anonymity_refused: 'They do not accept calls from withheld numbers.',
  not_found: 'Nobody has this number.',
  unavailable: 'Their phone cannot be reached.',
  unreachable: 'Their phone does not respond.',
  loop: 'This call was passed on too often.',
  not_acceptable: 'Their phone has no audio codec in common.',
  overloaded: 'No line is free.',
}

/** What a user is told whose transfer failed. */
export const transferProblem = (cause: Cause): Problem => {
  if (cause === 'payment_required') return new Problem('insufficient_funds')
  if (isLimit(cause)) return new Problem(cause)
  if (cause === 'forbidden') return new Problem('destination_blocked')
  if (cause === 'normal') return new Problem('call_not_in_state', 'The call is over.')
  return new Problem('transfer_failed', words[cause])
}
