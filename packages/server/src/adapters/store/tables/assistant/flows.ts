import type { Selectable } from 'kysely'
import { languagesOf } from '#core/account/flows/flow-languages.ts'
import type { Flow, Flows, FlowSettings, FlowVersion, FlowVersions, StoredSettings } from '#core/kernel/ports/store/assistant.ts'
import { hotRow } from '#adapters/store/sqlite/hot-row.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { hasEffect } from '../row-counts.ts'

export const flows = (db: Db): Flows => {
  const ofId = hotRow(db, (accountId: string, id: string) =>
    db.selectFrom('flow').selectAll().where('account_id', '=', accountId).where('id', '=', id),
  )
  return {
    names: (accountId) =>
      db.selectFrom('flow').select(['id', 'name']).where('account_id', '=', accountId).orderBy('created_at').orderBy('id').execute(),

    async list(accountId, ids) {
      if (ids.length === 0) return []
      const rows = await db.selectFrom('flow').selectAll().where('account_id', '=', accountId).where('id', 'in', ids).execute()
      const byId = new Map(rows.map((row) => [row.id, toFlow(row)]))
      return ids.flatMap((id) => byId.get(id) ?? [])
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
      return hasEffect(
        db
          .updateTable('flow')
          .set({ name, settings: JSON.stringify(settings), updated_at: at })
          .where('account_id', '=', accountId)
          .where('id', '=', id),
      )
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
      return hasEffect(db.deleteFrom('flow').where('account_id', '=', accountId).where('id', '=', id))
    },
  }
}

const toFlow = (row: Selectable<Schema['flow']>): Flow => ({
  id: row.id,
  name: row.name,
  settings: JSON.parse(row.settings) as FlowSettings,
})

export const flowVersions = (db: Db): FlowVersions => ({
  async list(accountId, flowId) {
    const rows = await db
      .selectFrom('flow_version')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('flow_id', '=', flowId)
      .orderBy('version', 'desc')
      .execute()
    return rows.map(toVersion)
  },

  async find(accountId, flowId, version) {
    const row = await db
      .selectFrom('flow_version')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('flow_id', '=', flowId)
      .where('version', '=', version)
      .executeTakeFirst()
    return row && toVersion(row)
  },

  async insert(accountId, flowId, { version, settings, author, at }, max) {
    await db
      .insertInto('flow_version')
      .values({ ...toRow(accountId, flowId, version, settings), author: author ?? null, at })
      .execute()
    await db
      .deleteFrom('flow_version')
      .where('account_id', '=', accountId)
      .where('flow_id', '=', flowId)
      .where('version', '<=', version - max)
      .execute()
  },

  async insertPresent(accountId, flowId, { version, settings }) {
    const flow = await db
      .selectFrom('flow')
      .select('updated_at')
      .where('account_id', '=', accountId)
      .where('id', '=', flowId)
      .executeTakeFirst()
    if (!flow) return
    await db
      .insertInto('flow_version')
      .values({ ...toRow(accountId, flowId, version, settings), author: null, at: flow.updated_at })
      .onConflict((conflict) => conflict.columns(['flow_id', 'version']).doNothing())
      .execute()
  },

  async removeOf(accountId) {
    await db.deleteFrom('flow_version').where('account_id', '=', accountId).execute()
  },
})

const toRow = (accountId: string, flowId: string, version: number, { name, ...settings }: StoredSettings) => ({
  flow_id: flowId,
  version,
  account_id: accountId,
  name,
  settings: JSON.stringify(settings),
})

const toVersion = ({ version, name, settings, author, at }: Selectable<Schema['flow_version']>): FlowVersion => ({
  version,
  settings: { name, ...(JSON.parse(settings) as Omit<StoredSettings, 'name'>) },
  author: author ?? undefined,
  at,
})
