import type { Outbox } from '../../../core/ports/store/outbox.ts'
import type { Dialect } from '../dialect.ts'
import type { Db } from '../schema/index.ts'
import { leasing } from './due-queue.ts'

export const outbox = (db: Db, dialect: Dialect): Outbox => ({
  ...leasing(db, dialect, 'outbox'),

  async put({ id, accountId, kind, payload, at }) {
    await db
      .insertInto('outbox')
      .values({
        id,
        account_id: accountId ?? null,
        kind,
        payload: JSON.stringify(payload),
        state: 'PENDING',
        attempts: 0,
        due_at: at,
        leased_until: 0,
        last_error: '',
        created_at: at,
      })
      .execute()
  },

  /** What was said is forgotten once it has been said: a mail may hold a secret link. */
  async done(id) {
    await db.updateTable('outbox').set({ state: 'SENT', payload: '{}', last_error: '' }).where('id', '=', id).execute()
  },

  async retry(id, dueAt, error) {
    await db.updateTable('outbox').set({ due_at: dueAt, leased_until: 0, last_error: error }).where('id', '=', id).execute()
  },

  async giveUp(id, error) {
    await db.updateTable('outbox').set({ state: 'DEAD', last_error: error }).where('id', '=', id).execute()
  },

  async listDead(limit) {
    const rows = await db.selectFrom('outbox').selectAll().where('state', '=', 'DEAD').orderBy('created_at').limit(limit).execute()
    return rows.map((row) => ({
      id: row.id,
      accountId: row.account_id ?? undefined,
      kind: row.kind,
      attempts: row.attempts,
      lastError: row.last_error,
      createdAt: row.created_at,
    }))
  },

  async revive(id, at) {
    const { numUpdatedRows } = await db
      .updateTable('outbox')
      .set({ state: 'PENDING', due_at: at, leased_until: 0, attempts: 0 })
      .where('id', '=', id)
      .where('state', '=', 'DEAD')
      .executeTakeFirst()
    return numUpdatedRows > 0
  },

  async removeEndedBefore(at) {
    const { numDeletedRows } = await db.deleteFrom('outbox').where('state', '!=', 'PENDING').where('created_at', '<', at).executeTakeFirst()
    return Number(numDeletedRows)
  },
})
