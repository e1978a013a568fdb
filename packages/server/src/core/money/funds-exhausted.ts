import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Reservation } from '#core/kernel/ports/store/money/balances.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { maxSpendOf } from './leash.ts'
import type { HeldLimits } from './limits.ts'

/** Why a running call gets no more: what one call may cost, what a token may spend, what a day may cost, or all that there is. */
export type FundsExhausted = 'call' | 'leash' | 'day' | 'balance'

interface Wanted {
  limits: HeldLimits
  reservation: Pick<Reservation, 'amount' | 'createdAt' | 'leash'>
  /** What the call holds with its next pulse. */
  next: number
}

/** Whatever holds for fewer calls stands first: that of the call alone, then that of the token, then that of the day. */
export const fundsExhaustedOf = async (tables: Tables, clock: Clock, accountId: string, wanted: Wanted): Promise<FundsExhausted> => {
  const { limits, reservation, next } = wanted
  if (next > (limits.perCall ?? Infinity)) return 'call'
  if (await isSpendingLimitReached(tables, accountId, wanted)) return 'leash'
  const { spent, held } = await tables.balances.spendingOf(accountId, clock.now())
  return spent + held + next - reservation.amount > limits.perDay ? 'day' : 'balance'
}

/** As it is counted when the reservation is extended: on the day on which the call was ordered. */
const isSpendingLimitReached = async (tables: Tables, accountId: string, { reservation, next }: Wanted): Promise<boolean> => {
  const { leash, createdAt, amount } = reservation
  const maxSpend = leash === undefined ? undefined : await maxSpendOf(tables, accountId, leash)
  if (leash === undefined || maxSpend === undefined) return false
  const { spent } = await tables.balances.leashUse(accountId, leash, createdAt)
  return spent + next - amount > maxSpend
}
