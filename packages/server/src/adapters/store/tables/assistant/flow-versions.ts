import type { Selectable } from 'kysely'
import type { FlowVersion, FlowVersions, StoredSettings } from '#core/kernel/ports/store/assistant/flow-versions.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'

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
