import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Reservation } from '#core/kernel/ports/store/money/balances.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { HeldLimits } from './limits.ts'

/** Why a running call gets no more: what one call may cost, what a day may cost, or all that there is. */
export type Scarcity = 'call' | 'day' | 'balance'

interface Wanted {
  limits: HeldLimits
  reservation: Pick<Reservation, 'amount'>
  /** What the call holds with its next pulse. */
  next: number
}

/** The limit of the call stands before that of the day: only the call has to end for it. */
export const scarcityOf = async (tables: Tables, clock: Clock, accountId: string, wanted: Wanted): Promise<Scarcity> => {
  const { limits, reservation, next } = wanted
  if (next > (limits.perCall ?? Infinity)) return 'call'
  const { spent, held } = await tables.balances.spendingOf(accountId, clock.now())
  return spent + held + next - reservation.amount > limits.perDay ? 'day' : 'balance'
}
