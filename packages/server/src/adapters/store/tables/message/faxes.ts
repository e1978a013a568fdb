import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Fax, FaxChange, Faxes } from '#core/kernel/ports/store/message/faxes.ts'
import type { SavedDialog } from '#core/kernel/ports/telephony.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import { flag } from '#adapters/store/schema/columns.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'

export const faxes = (db: Db, dialect: Dialect): Faxes => {
  const all = () => db.selectFrom('fax').selectAll()
  const one = (accountId: string, id: string) => all().where('account_id', '=', accountId).where('id', '=', id)
  const unsent = (accountId: string) =>
    db
      .selectFrom('fax')
      .where('account_id', '=', accountId)
      .where('direction', '=', 'OUTGOING')
      .where('state', 'in', ['PENDING', 'SENDING', 'SCHEDULED'])
  return {
    async insert(fax) {
      const row = await db
        .insertInto('fax')
        .values(toRow(fax))
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .executeTakeFirst()
      return row !== undefined
    },

    async find(accountId, id) {
      const row = await one(accountId, id).executeTakeFirst()
      return row && toFax(row)
    },

    async lock(accountId, id) {
      const row = await one(accountId, id)
        .$if(dialect === 'postgres', (query) => query.forUpdate())
        .executeTakeFirst()
      return row && toFax(row)
    },

    async update(accountId, id, change, at) {
      const set = { ...toColumns(change), changed_at: at }
      await db.updateTable('fax').set(set).where('account_id', '=', accountId).where('id', '=', id).execute()
    },

    async remove(accountId, id) {
      const { numDeletedRows } = await db.deleteFrom('fax').where('account_id', '=', accountId).where('id', '=', id).executeTakeFirst()
      return numDeletedRows > 0n
    },

    async listOf(owner, limit) {
      return (await all().where('owner', '=', owner).orderBy('id').limit(limit).execute()).map(toFax)
    },

    async listUnsent(accountId, { faxlineId, userId }) {
      const rows = await unsent(accountId)
        .selectAll()
        .$if(faxlineId !== undefined, (query) => query.where('faxline_id', '=', faxlineId ?? ''))
        .$if(userId !== undefined, (query) => query.where('user_id', '=', userId ?? ''))
        .orderBy('created_at')
        .orderBy('id')
        .execute()
      return rows.map(toFax)
    },

    async countUnsent(accountId) {
      const { count } = await unsent(accountId)
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      return count
    },

    async list(accountId, limit) {
      return (await all().where('account_id', '=', accountId).orderBy('id').limit(limit).execute()).map(toFax)
    },

    async listOverBefore(at, limit) {
      const old = all().where('created_at', '<', at).where('state', 'in', ['SENT', 'FAILED', 'RECEIVED'])
      return (await old.orderBy('created_at').limit(limit).execute()).map(toFax)
    },

    async weigh(accountId, id, bytes) {
      await db.updateTable('fax').set({ bytes }).where('account_id', '=', accountId).where('id', '=', id).execute()
    },

    async totalBytes(accountId) {
      const { total } = await db
        .selectFrom('fax')
        .select((eb) => eb.fn.sum<number | string | null>('bytes').as('total'))
        .where('account_id', '=', accountId)
        .executeTakeFirstOrThrow()
      return Number(total ?? 0)
    },
  }
}

const toRow = (fax: Fax): Insertable<Schema['fax']> => ({
  account_id: fax.accountId,
  id: fax.id,
  direction: fax.direction,
  user_id: fax.userId ?? null,
  faxline_id: fax.faxlineId,
  sender: fax.sender,
  recipient: fax.recipient,
  filename: fax.filename,
  resend_of: fax.resendOf ?? null,
  state: fax.state,
  pages: fax.pages,
  pages_done: fax.pagesDone,
  tries: fax.tries,
  talk_seconds: fax.talkSeconds,
  bit_rate: fax.bitRate,
  error_correction: flag(fax.errorCorrection),
  carried_by: fax.carriedBy ?? null,
  station: fax.station,
  reason: fax.reason ?? null,
  owner: fax.owner ?? null,
  answered_at: fax.answeredAt ?? null,
  dialog: fax.dialog ? JSON.stringify(fax.dialog) : null,
  created_at: fax.createdAt,
  changed_at: fax.changedAt,
  due_at: fax.dueAt ?? null,
})

/** Only named fields change; one that is given as undefined is cleared. */
const toColumns = (change: FaxChange): Updateable<Schema['fax']> => {
  const row: Record<string, unknown> = toRow(change as Fax)
  const named = Object.keys(change).map((field) => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
  return Object.fromEntries(named.map((column) => [column, row[column]]))
}

const toFax = (row: Selectable<Schema['fax']>): Fax => ({
  accountId: row.account_id,
  id: row.id,
  direction: row.direction,
  userId: row.user_id ?? undefined,
  faxlineId: row.faxline_id,
  sender: row.sender,
  recipient: row.recipient,
  filename: row.filename,
  resendOf: row.resend_of ?? undefined,
  state: row.state,
  pages: row.pages,
  pagesDone: row.pages_done,
  tries: row.tries,
  talkSeconds: row.talk_seconds,
  bitRate: row.bit_rate,
  errorCorrection: row.error_correction === 1,
  carriedBy: row.carried_by ?? undefined,
  station: row.station,
  reason: row.reason ?? undefined,
  owner: row.owner ?? undefined,
  answeredAt: row.answered_at ?? undefined,
  dialog: row.dialog === null ? undefined : (JSON.parse(row.dialog) as SavedDialog),
  createdAt: row.created_at,
  changedAt: row.changed_at,
  dueAt: row.due_at ?? undefined,
})
