import { sql, type Insertable, type Selectable } from 'kysely'
import type { FirstLease } from '#core/kernel/ports/store/work/due-queue.ts'
import type { DeadLetter, Outbox, OutboxMessage } from '#core/kernel/ports/store/work/outbox.ts'
import { UniqueViolation } from '#core/kernel/ports/store/index.ts'
import { hotInsert } from '#adapters/store/sqlite/hot-row.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { leasing } from './due-queue.ts'

export const outbox = (db: Db, dialect: Dialect): Outbox => {
  const insertRow = hotInsert(db, 'outbox')
  return {
    ...leasing(db, dialect, 'outbox'),

    async put(message, lease) {
      if (!(await insertRow(toRow(message, lease)))) throw new UniqueViolation(`there is a message ${message.id} already`)
    },

    putOnce: (message, lease) => insertRow(toRow(message, lease)),

    async waitsUntil(id) {
      const pending = db.selectFrom('outbox').select(['due_at', 'leased_until']).where('id', '=', id).where('state', '=', 'PENDING')
      const row = await pending.executeTakeFirst()
      return row && (row.leased_until > 0 ? 0 : row.due_at)
    },

    /** The payload is deleted once it is delivered: a mail may hold a secret link. */
    async done(...ids) {
      await db.updateTable('outbox').set({ state: 'SENT', payload: '{}', last_error: '' }).where('id', 'in', ids).execute()
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

    async listDeadOf(accountId, kind, { offset, limit }) {
      const dead = deadOf(db, accountId, kind).selectAll().orderBy('created_at', 'desc').orderBy('id')
      return (await dead.limit(limit).offset(offset).execute()).map(toDeadLetter)
    },

    async countDeadOf(accountId, kind) {
      const { count } = await deadOf(db, accountId, kind)
        .select((eb) => eb.fn.countAll().as('count'))
        .executeTakeFirstOrThrow()
      return Number(count)
    },

    async findDeadOf(accountId, kind, id) {
      const row = await deadOf(db, accountId, kind).selectAll().where('id', '=', id).executeTakeFirst()
      return row && toDeadLetter(row)
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

    async figures() {
      const [waiting, dead] = [await countedByKind(db, 'PENDING'), await countedByKind(db, 'DEAD')]
      const kinds = new Set([...waiting.keys(), ...dead.keys()])
      return [...kinds].map((kind) => {
        const { count = 0, oldest, due } = waiting.get(kind) ?? {}
        return { kind, pending: Number(count), oldestAt: oldest, dueAt: due, dead: Number(dead.get(kind)?.count ?? 0) }
      })
    },

    async removeEndedBefore(at) {
      const { numDeletedRows } = await db
        .deleteFrom('outbox')
        .where('state', '!=', 'PENDING')
        .where('created_at', '<', at)
        .executeTakeFirst()
      return Number(numDeletedRows)
    },
  }
}

const toRow = ({ id, accountId, kind, payload, at }: OutboxMessage, lease?: FirstLease): Insertable<Schema['outbox']> => ({
  id,
  account_id: accountId ?? null,
  kind,
  payload: JSON.stringify(payload),
  state: 'PENDING',
  attempts: lease ? 1 : 0,
  due_at: lease?.dueAt ?? at,
  leased_until: lease?.until ?? 0,
  last_error: '',
  created_at: at,
})

/** The state stands in the statement itself: only then are the indexes of those few that were not sent used. */
const countedByKind = async (db: Db, state: 'PENDING' | 'DEAD') => {
  const rows = await db
    .selectFrom('outbox')
    .select((eb) => ['kind', eb.fn.countAll().as('count'), eb.fn.min('created_at').as('oldest'), eb.fn.min('due_at').as('due')])
    .where(sql<boolean>`state = ${sql.lit(state)}`)
    .groupBy('kind')
    .execute()
  return new Map(rows.map((row) => [row.kind, row]))
}

const deadOf = (db: Db, accountId: string, kind: string) =>
  db
    .selectFrom('outbox')
    .where('account_id', '=', accountId)
    .where(sql<boolean>`state = 'DEAD'`)
    .where('kind', '=', kind)

const toDeadLetter = ({ id, kind, payload, attempts, last_error, created_at }: Selectable<Schema['outbox']>): DeadLetter => ({
  id,
  kind,
  payload: JSON.parse(payload) as unknown,
  attempts,
  lastError: last_error,
  createdAt: created_at,
})
