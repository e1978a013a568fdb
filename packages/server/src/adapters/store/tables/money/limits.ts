import type { Limits, SpendingLimits } from '#core/kernel/ports/store/money/limits.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'

/** Stands for every account; none has this id. */
const installation = ''

export const limits = (db: Db): Limits => {
  const find = async (id: string): Promise<SpendingLimits> => {
    const row = await db.selectFrom('spending_limit').selectAll().where('account_id', '=', id).executeTakeFirst()
    return row ? toLimits(row) : { perDay: undefined, ownPerDay: undefined, paidCalls: undefined, opened: [] }
  }

  const set = async (id: string, change: Partial<SpendingLimits>): Promise<void> => {
    const { perDay, ownPerDay, paidCalls, opened } = { ...(await find(id)), ...change }
    const row = {
      per_day: perDay ?? null,
      own_per_day: ownPerDay ?? null,
      paid_calls: paidCalls ?? null,
      opened: JSON.stringify(opened),
    }
    await db
      .insertInto('spending_limit')
      .values({ account_id: id, ...row })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet(row))
      .execute()
  }

  return { find, set, ofInstallation: () => find(installation), setOfInstallation: (change) => set(installation, change) }
}

const toLimits = (row: Schema['spending_limit']): SpendingLimits => ({
  perDay: row.per_day ?? undefined,
  ownPerDay: row.own_per_day ?? undefined,
  paidCalls: row.paid_calls ?? undefined,
  opened: JSON.parse(row.opened) as string[],
})
