import type { Fax, Faxes } from '#core/kernel/ports/store/message.ts'
import type { SavedDialog } from '#core/kernel/ports/telephony.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { asFlag, asJson, hidden, record } from '../record.ts'
import { countRows, hasEffect } from '../row-counts.ts'

const { columns, fields } = record<Schema['fax'], Fax>()({ errorCorrection: asFlag, dialog: asJson<SavedDialog>(), bytes: hidden })

export const faxes = (db: Db, dialect: Dialect): Faxes => {
  const all = () => db.selectFrom('fax').selectAll()
  const one = (accountId: string, id: string) => all().where('account_id', '=', accountId).where('id', '=', id)
  const overBefore = (at: number) =>
    all().where('created_at', '<', at).where('state', 'in', ['SENT', 'FAILED', 'RECEIVED']).orderBy('created_at')
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
        .values(columns(fax))
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .executeTakeFirst()
      return row !== undefined
    },

    async find(accountId, id) {
      const row = await one(accountId, id).executeTakeFirst()
      return row && fields(row)
    },

    async lock(accountId, id) {
      const row = await one(accountId, id)
        .$if(dialect === 'postgres', (query) => query.forUpdate())
        .executeTakeFirst()
      return row && fields(row)
    },

    async update(accountId, id, change, at) {
      const set = { ...columns(change), changed_at: at }
      await db.updateTable('fax').set(set).where('account_id', '=', accountId).where('id', '=', id).execute()
    },

    async remove(accountId, id) {
      return hasEffect(db.deleteFrom('fax').where('account_id', '=', accountId).where('id', '=', id))
    },

    async listOf(owner, limit) {
      return (await all().where('owner', '=', owner).orderBy('id').limit(limit).execute()).map(fields)
    },

    async listUnsent(accountId, { faxlineId, userId }) {
      const rows = await unsent(accountId)
        .selectAll()
        .$if(faxlineId !== undefined, (query) => query.where('faxline_id', '=', faxlineId ?? ''))
        .$if(userId !== undefined, (query) => query.where('user_id', '=', userId ?? ''))
        .orderBy('created_at')
        .orderBy('id')
        .execute()
      return rows.map(fields)
    },

    async countUnsent(accountId) {
      return countRows(unsent(accountId))
    },

    async list(accountId, limit) {
      return (await all().where('account_id', '=', accountId).orderBy('id').limit(limit).execute()).map(fields)
    },

    async listOverBefore(at, limit) {
      return (await overBefore(at).limit(limit).execute()).map(fields)
    },

    async listOverOfBefore(accountId, at, limit) {
      return (await overBefore(at).where('account_id', '=', accountId).limit(limit).execute()).map(fields)
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
