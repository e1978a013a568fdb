import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Reservation } from '#core/kernel/ports/store/money.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { maxSpendOf } from './leash.ts'
import type { HeldLimits } from './limits.ts'

/** Reason a running call cannot be extended: the limit per call, of the token, per day, or the balance. */
export type FundsExhausted = 'call' | 'leash' | 'day' | 'balance'

interface Wanted {
  limits: HeldLimits
  reservation: Pick<Reservation, 'amount' | 'createdAt' | 'leash'>
  /** Amount held with the next pulse. */
  next: number
}

/** Checks the narrowest limit first: the call's, then the token's, then the day's. */
export const fundsExhaustedOf = async (tables: Tables, clock: Clock, accountId: string, wanted: Wanted): Promise<FundsExhausted> => {
  const { limits, reservation, next } = wanted
  if (next > (limits.perCall ?? Infinity)) return 'call'
  if (await isSpendingLimitReached(tables, accountId, wanted)) return 'leash'
  const { spent, held } = await tables.balances.spendingOf(accountId, clock.now())
  return spent + held + next - reservation.amount > limits.perDay ? 'day' : 'balance'
}

/** Same rule as for extending a reservation: on the day on which the call was originated. */
const isSpendingLimitReached = async (tables: Tables, accountId: string, { reservation, next }: Wanted): Promise<boolean> => {
  const { leash, createdAt, amount } = reservation
  const maxSpend = leash === undefined ? undefined : await maxSpendOf(tables, accountId, leash)
  if (leash === undefined || maxSpend === undefined) return false
  const { spent } = await tables.balances.leashUse(accountId, leash, createdAt)
  return spent + next - amount > maxSpend
}
