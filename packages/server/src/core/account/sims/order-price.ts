import { charge } from '#core/money/charge.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { SimOrder } from '#core/kernel/ports/store/number/sims.ts'

/** The price is taken with the order, once for each order id. */
export const takePrice = async (tables: Tables, clock: Clock, { id, accountId }: SimOrder): Promise<void> => {
  await charge(tables, clock, { accountId, service: 'SIM', units: 1, sessionId: id, reason: 'SIM order' })
}

/** Exactly what was taken, whatever the tariff says by now. */
export const refund = async (tables: Tables, clock: Clock, { id, accountId }: SimOrder): Promise<void> => {
  const taken = await tables.balances.findEntry(accountId, `session:${id}`)
  if (!taken) return
  const postings = [
    { book: 'balance', amount: -taken.amount },
    { book: 'revenue', amount: taken.amount },
  ] as const
  const booking = { key: `refund:${id}`, reason: 'SIM order cancelled', sessionId: id, actor: 'service', at: clock.now(), postings }
  await tables.balances.book(accountId, { ...booking, spent: { purpose: 'SIM', units: -1 } })
}
