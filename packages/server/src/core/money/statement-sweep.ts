import { addMonths, startOfDay } from '#core/kernel/local-day.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { RecurringWork } from '#core/kernel/work/recurring.ts'
import { writeStatement } from './statement.ts'

const hour = 60 * 60_000
/** Maximum distance of time zones from UTC. */
const zoneMs = 15 * hour
const pageSize = 200
/** Months to catch up: after a longer outage older months have no statement. */
const monthsBack = 3

/** Writes the statements of past months: in the first hour of the next one in the account's time zone. */
export const statementSweep = (store: Store, clock: Clock): RecurringWork => ({
  kind: 'statement.sweep',
  intervalMs: hour,
  work: async () => {
    const present = new Date(clock.now() + zoneMs).toISOString().slice(0, 7)
    for (let back = monthsBack; back > 0; back--) await writeMonth(store, clock, addMonths(present, -back))
  },
})

const writeMonth = async (store: Store, clock: Clock, month: string): Promise<void> => {
  const span = { from: startOfDay(`${month}-01`, 'UTC') - zoneMs, to: startOfDay(`${addMonths(month, 1)}-01`, 'UTC') + zoneMs }
  let after = ''
  for (;;) {
    const accounts = await store.read.usages.accountsIn(month, span, { after, limit: pageSize })
    for (const accountId of accounts) await store.write((tables) => writeStatement(tables, clock, accountId, month))
    const last = accounts.at(-1)
    if (last === undefined || accounts.length < pageSize) return
    after = last
  }
}
