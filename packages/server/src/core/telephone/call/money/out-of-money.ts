import type { Cause, PromptName } from '#core/kernel/ports/telephony.ts'
import type { Scarcity } from '#core/money/scarcity.ts'

const causes: Record<Scarcity, Cause> = {
  balance: 'payment_required',
  call: 'call_limit_reached',
  day: 'daily_limit_reached',
  leash: 'leash_spent',
}

/** What phones are told when a call ends for want of money, and what stands in its timeline. */
export const causeOfScarcity = (why: Scarcity): Cause => causes[why]

/** What is said before: who has money left is not told that it is gone. */
export const promptOfScarcity = (why: Scarcity): PromptName => (why === 'balance' ? 'insufficient-funds' : 'spending-limit')
