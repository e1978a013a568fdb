import type { Leg } from '#core/kernel/ports/telephony.ts'

/** Answers unless that has happened; a caller who is gone is no fault. */
export const pickUp = async (leg: Leg): Promise<void> => {
  if (!leg.answered) await Promise.race([leg.answer(), leg.ended])
}
