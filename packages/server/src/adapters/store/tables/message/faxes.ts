import type { Fax, Faxes } from '#core/kernel/ports/store/message.ts'
import type { SavedDialog } from '#core/kernel/ports/telephony.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { asFlag, asJson, hidden, record } from '../record.ts'
import { countRows, hasEffect, sumOf } from '../row-counts.ts'

const stored = record<Schema['fax'], Fax>()({ errorCorrection: asFlag, dialog: asJson<SavedDialog>(), bytes: hidden })

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
      return hasEffect(
        db
          .insertInto('fax')
          .values(stored.columns(fax))
          .onConflict((conflict) => conflict.doNothing()),
      )
    },

    async find(accountId, id) {
      return stored.first(one(accountId, id))
    },

    async lock(accountId, id) {
      return stored.first(one(accountId, id).$if(dialect === 'postgres', (query) => query.forUpdate()))
    },

    async update(accountId, id, change, at) {
      const set = { ...stored.columns(change), changed_at: at }
      await db.updateTable('fax').set(set).where('account_id', '=', accountId).where('id', '=', id).execute()
    },

    async remove(accountId, id) {
      return hasEffect(db.deleteFrom('fax').where('account_id', '=', accountId).where('id', '=', id))
    },

    async listOf(owner, limit) {
      return stored.all(all().where('owner', '=', owner).orderBy('id').limit(limit))
    },

    async listUnsent(accountId, { faxlineId, userId }) {
      const rows = await unsent(accountId)
        .selectAll()
        .$if(faxlineId !== undefined, (query) => query.where('faxline_id', '=', faxlineId ?? ''))
        .$if(userId !== undefined, (query) => query.where('user_id', '=', userId ?? ''))
        .orderBy('created_at')
        .orderBy('id')
        .execute()
      return rows.map(stored.fields)
    },

    async countUnsent(accountId) {
      return countRows(unsent(accountId))
    },

    async list(accountId, limit) {
      return stored.all(all().where('account_id', '=', accountId).orderBy('id').limit(limit))
    },

    async listOverBefore(at, limit) {
      return stored.all(overBefore(at).limit(limit))
    },

    async listOverOfBefore(accountId, at, limit) {
      return stored.all(overBefore(at).where('account_id', '=', accountId).limit(limit))
    },

    async weigh(accountId, id, bytes) {
      await db.updateTable('fax').set({ bytes }).where('account_id', '=', accountId).where('id', '=', id).execute()
    },

    async totalBytes(accountId) {
      return sumOf(db.selectFrom('fax').where('account_id', '=', accountId), 'bytes')
    },
  }
}
