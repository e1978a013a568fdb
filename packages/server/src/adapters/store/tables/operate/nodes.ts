import type { Selectable } from 'kysely'
import type { ClusterNode, Nodes, NodeWork } from '#core/kernel/ports/store/operate/nodes.ts'
import { flag } from '#adapters/store/schema/columns.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'

export const nodes = (db: Db): Nodes => ({
  async keep(node) {
    const { id, name, version, http, sip, startedAt } = node
    const now = { seen_at: node.seenAt, draining: flag(node.draining), stopping: flag(node.stopping), work: JSON.stringify(node.work) }
    const { drain } = await db
      .insertInto('node')
      .values({ id, name, version, http, sip, started_at: startedAt, drain: 0, ...now })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(now))
      .returning('drain')
      .executeTakeFirstOrThrow()
    return drain === 1
  },

  async list(since) {
    const rows = await db.selectFrom('node').selectAll().where('seen_at', '>=', since).orderBy('started_at').orderBy('id').execute()
    return rows.map(toNode)
  },

  async setDrain(id, drain) {
    const { numUpdatedRows } = await db
      .updateTable('node')
      .set({ drain: flag(drain) })
      .where('id', '=', id)
      .executeTakeFirst()
    return numUpdatedRows > 0
  },

  async remove(id) {
    await db.deleteFrom('node').where('id', '=', id).execute()
  },

  async removeReplacedBy({ id, name, http, sip }) {
    await db.deleteFrom('node').where('name', '=', name).where('http', '=', http).where('sip', '=', sip).where('id', '!=', id).execute()
  },

  async removeSilentSince(at) {
    const { numDeletedRows } = await db.deleteFrom('node').where('seen_at', '<', at).executeTakeFirst()
    return Number(numDeletedRows)
  },
})

const toNode = (row: Selectable<Schema['node']>): ClusterNode & { drain: boolean } => ({
  id: row.id,
  name: row.name,
  version: row.version,
  http: row.http,
  sip: row.sip,
  startedAt: row.started_at,
  seenAt: row.seen_at,
  drain: row.drain === 1,
  draining: row.draining === 1,
  stopping: row.stopping === 1,
  work: JSON.parse(row.work) as NodeWork,
})
