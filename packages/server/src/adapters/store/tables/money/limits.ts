import type { Limits, SpendingLimits } from '#core/kernel/ports/store/money.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { asJson, hidden, record } from '../record.ts'

const limit = record<Schema['spending_limit'], SpendingLimits>()({
  opened: asJson<readonly string[]>(),
  account_id: hidden,
  low_told: hidden,
})

/** Stands for every account; no account has this id. */
const installation = ''

export const limits = (db: Db): Limits => {
  const find = async (id: string): Promise<SpendingLimits> => {
    const row = await db.selectFrom('spending_limit').selectAll().where('account_id', '=', id).executeTakeFirst()
    return row ? limit.fields(row) : nothingSet
  }

  const set = async (id: string, change: Partial<SpendingLimits>): Promise<void> => {
    const row = limit.columns({ ...(await find(id)), ...change })
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
