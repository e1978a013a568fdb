import type { Selectable } from 'kysely'
import { languagesOf } from '#core/account/flows/flow-languages.ts'
import type { Flow, Flows, FlowSettings } from '#core/kernel/ports/store/assistant/flows.ts'
import { hotRow } from '#adapters/store/sqlite/hot-row.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'

export const flows = (db: Db): Flows => {
  const ofId = hotRow(db, (accountId: string, id: string) =>
    db.selectFrom('flow').selectAll().where('account_id', '=', accountId).where('id', '=', id),
  )
  return {
    async list(accountId) {
      const rows = await db.selectFrom('flow').selectAll().where('account_id', '=', accountId).orderBy('created_at').orderBy('id').execute()
      return rows.map(toFlow)
    },

    async find(accountId, id) {
      const row = await ofId(accountId, id)
      return row && toFlow(row)
    },

    async insert(accountId, { id, name, settings }, at) {
      await db
        .insertInto('flow')
        .values({ id, account_id: accountId, name, settings: JSON.stringify(settings), created_at: at, updated_at: at })
        .execute()
    },

    async update(accountId, { id, name, settings }, at) {
      const { numUpdatedRows } = await db
        .updateTable('flow')
        .set({ name, settings: JSON.stringify(settings), updated_at: at })
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .executeTakeFirst()
      return numUpdatedRows > 0
    },

    async languages() {
      const rows = await db
        .selectFrom('flow')
        .innerJoin('account', 'account.id', 'flow.account_id')
        .select(['flow.settings', 'account.locale'])
        .execute()
      return [...new Set(rows.flatMap(({ settings, locale }) => languagesOf(JSON.parse(settings) as FlowSettings, locale)))]
    },

    async remove(accountId, id) {
      const { numDeletedRows } = await db.deleteFrom('flow').where('account_id', '=', accountId).where('id', '=', id).executeTakeFirst()
      return numDeletedRows > 0
    },
  }
}

const toFlow = (row: Selectable<Schema['flow']>): Flow => ({
  id: row.id,
  name: row.name,
  settings: JSON.parse(row.settings) as FlowSettings,
})
