import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Booking } from '#core/kernel/ports/store/money/balances.ts'
import type { Service } from '#core/kernel/ports/store/money/tariffs.ts'
import { watchBalance } from './low-balance.ts'
import { rateOf } from './rates.ts'
import { unitCost } from './rating.ts'

export interface Charge {
  accountId: string
  service: Service
  units: number
  /** The same session is charged once, however often it is said. */
  sessionId: string
  /** What the ledger will say, such as `SIM order`. */
  reason: string
}

/** Takes a one-off price from the purse and gives what it was. A service without a rate in the account's tariff costs nothing. */
export const charge = async (tables: Tables, clock: Clock, { accountId, service, units, sessionId, reason }: Charge): Promise<number> => {
  const at = clock.now()
  const account = await tables.accounts.find(accountId)
  if (!account) throw new Problem('account_not_found')
  const rate = await rateOf(tables, account.tariffId, service, '', at)
  const cost = rate ? unitCost(rate, units) : 0
  if (cost === 0) return 0
  const spent = service === 'SIM' ? { purpose: service, units } : undefined
  await takeOnce(tables, clock, { accountId, cost, sessionId, reason, ...(spent && { spent }) })
  return cost
}

export type OneOff = Omit<Charge, 'service' | 'units'> & { cost: number; spent?: Booking['spent'] }

/** Takes a price that is known from the purse, or refuses. */
export const takeOnce = async (tables: Tables, clock: Clock, { accountId, cost, sessionId, reason, spent }: OneOff): Promise<void> => {
  const at = clock.now()
  const postings = [{ book: 'balance', amount: -cost } as const, { book: 'revenue', amount: cost } as const]
  const key = `session:${sessionId}`
  const outcome = await tables.balances.book(accountId, { key, reason, sessionId, actor: 'service', at, spent, postings })
  if (outcome === 'not_covered') throw new Problem('insufficient_funds')
  await watchBalance(tables, accountId, at)
}
