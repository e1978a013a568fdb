import type { Cause, PromptName } from '#core/kernel/ports/telephony.ts'
import type { FundsExhausted } from '#core/money/funds-exhausted.ts'

const causes: Record<FundsExhausted, Cause> = {
  balance: 'payment_required',
  call: 'call_limit_reached',
  day: 'daily_limit_reached',
  leash: 'leash_spent',
}

/** What phones are told when a call ends for want of money, and what stands in its timeline. */
export const causeOfExhaustion = (why: FundsExhausted): Cause => causes[why]

/** What is said before: who has money left is not told that it is gone. */
export const promptOfExhaustion = (why: FundsExhausted): PromptName => (why === 'balance' ? 'insufficient-funds' : 'spending-limit')
