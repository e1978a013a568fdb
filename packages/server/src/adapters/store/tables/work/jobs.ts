import type { Jobs } from '#core/kernel/ports/store/work/jobs.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import type { Db } from '#adapters/store/schema/index.ts'
import { leasing } from './due-queue.ts'

export const jobs = (db: Db, dialect: Dialect): Jobs => {
  const remove = async (id: string): Promise<void> => {
    await db.deleteFrom('job').where('id', '=', id).execute()
  }
  return {
    ...leasing(db, dialect, 'job'),

    async schedule({ id, kind, payload, dueAt }) {
      const timing = { payload: JSON.stringify(payload), due_at: dueAt, leased_until: 0, attempts: 0 }
      await db
        .insertInto('job')
        .values({ id, kind, ...timing })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(timing))
        .execute()
    },

    cancel: remove,

    /** A job that put itself to a later time while it ran stays. */
    async done(...ids) {
      await db.deleteFrom('job').where('id', 'in', ids).where('leased_until', '>', 0).execute()
    },

    async retry(id, dueAt) {
      await db.updateTable('job').set({ due_at: dueAt, leased_until: 0 }).where('id', '=', id).execute()
    },

    giveUp: remove,

    async figures() {
      const rows = await db
        .selectFrom('job')
        .select((eb) => ['kind', eb.fn.countAll().as('count'), eb.fn.min('due_at').as('due')])
        .groupBy('kind')
        .execute()
      return rows.map(({ kind, count, due }) => ({ kind, pending: Number(count), oldestAt: undefined, dueAt: due, dead: 0 }))
    },
  }
}
