import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Purpose, SpendingLimits } from '#core/kernel/ports/store/money.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

/** Default: enough for an office, too little to be worth toll fraud over a night. */
export const defaultLimits = { perDay: 500_000, paidCalls: 30 }

const dayMs = 24 * 60 * 60 * 1000

export interface HeldLimits {
  /** Lower of the operator's and the customer's limit. */
  perDay: number
  /** Operator's limit. */
  mostPerDay: number
  /** Undefined: limited by the balance only. */
  perCall: number | undefined
  warnBelow: number | undefined
  paidCalls: number
  opened: readonly string[]
}

/** Effective limits of an account. */
export const limitsOf = async (tables: Tables, accountId: string): Promise<HeldLimits> =>
  together(await tables.limits.find(accountId), await tables.limits.ofInstallation())

/** Same for the REST interface, with the current use. */
export const useOfLimits = async (tables: Tables, clock: Clock, accountId: string) => {
  const at = clock.now()
  const { opened, perCall, warnBelow, ...limits } = await limitsOf(tables, accountId)
  const { spent, held } = await tables.balances.spendingOf(accountId, at)
  const count = async (purpose: Purpose) => (await tables.balances.countSessions(accountId, purpose, { than: '', since: at })).open
  return {
    ...limits,
    ...(perCall !== undefined && { perCall }),
    ...(warnBelow !== undefined && { warnBelow }),
    spentToday: spent,
    heldToday: held,
    resetsAt: new Date((Math.floor(at / dayMs) + 1) * dayMs).toISOString(),
    paidCallsNow: (await count('CALL')) + (await count('FLOW')),
    openedDestinations: [...opened],
  }
}

const together = (own: SpendingLimits, house: SpendingLimits): HeldLimits => {
  const maxPerDay = own.perDay ?? house.perDay ?? defaultLimits.perDay
  return {
    perDay: Math.min(maxPerDay, own.ownPerDay ?? maxPerDay),
    mostPerDay: maxPerDay,
    perCall: own.perCall,
    warnBelow: own.warnBelow,
    paidCalls: own.paidCalls ?? house.paidCalls ?? defaultLimits.paidCalls,
    opened: [...house.opened, ...own.opened],
  }
}
