import type { Limits, SpendingLimits } from '#core/kernel/ports/store/money.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'

/** Stands for every account; no account has this id. */
const installation = ''

export const limits = (db: Db): Limits => {
  const find = async (id: string): Promise<SpendingLimits> => {
    const row = await db.selectFrom('spending_limit').selectAll().where('account_id', '=', id).executeTakeFirst()
    return row ? toLimits(row) : nothingSet
  }

  const set = async (id: string, change: Partial<SpendingLimits>): Promise<void> => {
    const { perDay, ownPerDay, perCall, warnBelow, paidCalls, opened } = { ...(await find(id)), ...change }
    const row = {
      per_day: perDay ?? null,
      own_per_day: ownPerDay ?? null,
      per_call: perCall ?? null,
      warn_below: warnBelow ?? null,
      paid_calls: paidCalls ?? null,
      opened: JSON.stringify(opened),
    }
    await db
      .insertInto('spending_limit')
      .values({ account_id: id, ...row })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet(row))
      .execute()
  }

  const noteLow = async (id: string): Promise<boolean> => {
    const row = await db
      .updateTable('spending_limit')
      .set({ low_told: 1 })
      .where('account_id', '=', id)
      .where((eb) => eb.or([eb('low_told', 'is', null), eb('low_told', '=', 0)]))
      .returning('account_id')
      .executeTakeFirst()
    return row !== undefined
  }

  const forgetLow = async (id: string): Promise<void> => {
    await db.updateTable('spending_limit').set({ low_told: 0 }).where('account_id', '=', id).where('low_told', '=', 1).execute()
  }

  return {
    find,
    set,
    noteLow,
    forgetLow,
    ofInstallation: () => find(installation),
    setOfInstallation: (change) => set(installation, change),
  }
}

const nothingSet: SpendingLimits = {
  perDay: undefined,
  ownPerDay: undefined,
  perCall: undefined,
  warnBelow: undefined,
  paidCalls: undefined,
  opened: [],
}

const toLimits = (row: Schema['spending_limit']): SpendingLimits => ({
  perDay: row.per_day ?? undefined,
  ownPerDay: row.own_per_day ?? undefined,
  perCall: row.per_call ?? undefined,
  warnBelow: row.warn_below ?? undefined,
  paidCalls: row.paid_calls ?? undefined,
  opened: JSON.parse(row.opened) as string[],
})
