import type { ClusterNode, Nodes, NodeWork, Operators, Settings, Metrics, SavedFigures } from '#core/kernel/ports/store/operate.ts'
import { flag } from '#adapters/store/schema/columns.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { asFlag, asJson, record } from '../record.ts'
import { affectedRows, hasEffect } from '../row-counts.ts'

const toNode = record<Schema['node'], ClusterNode & { drain: boolean }>()({
  drain: asFlag,
  draining: asFlag,
  stopping: asFlag,
  work: asJson<NodeWork>(),
}).fields

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
    return hasEffect(
      db
        .updateTable('node')
        .set({ drain: flag(drain) })
        .where('id', '=', id),
    )
  },

  async remove(id) {
    await db.deleteFrom('node').where('id', '=', id).execute()
  },

  async removeReplacedBy({ id, name, http, sip }) {
    await db.deleteFrom('node').where('name', '=', name).where('http', '=', http).where('sip', '=', sip).where('id', '!=', id).execute()
  },

  async removeSilentSince(at) {
    return affectedRows(db.deleteFrom('node').where('seen_at', '<', at))
  },
})

export const operators = (db: Db): Operators => ({
  async insert({ id, email, name, passwordHash, createdAt }) {
    return hasEffect(
      db
        .insertInto('operator')
        .values({ id, email: email.toLowerCase(), name, password_hash: passwordHash, created_at: createdAt })
        .onConflict((conflict) => conflict.column('email').doNothing()),
    )
  },

  list: () => db.selectFrom('operator').select(['id', 'email', 'name']).orderBy('created_at').execute(),

  async find(id) {
    return db.selectFrom('operator').select(['id', 'email', 'name']).where('id', '=', id).executeTakeFirst()
  },

  async findCredentials(email) {
    const row = await db
      .selectFrom('operator')
      .select(['id', 'password_hash'])
      .where('email', '=', email.trim().toLowerCase())
      .executeTakeFirst()
    return row && { id: row.id, passwordHash: row.password_hash }
  },
})

export const settings = (db: Db): Settings => ({
  async get(name) {
    const row = await db.selectFrom('setting').select('value').where('name', '=', name).executeTakeFirst()
    return row?.value
  },

  async setOnce(name, value) {
    return hasEffect(
      db
        .insertInto('setting')
        .values({ name, value })
        .onConflict((conflict) => conflict.column('name').doNothing()),
    )
  },

  async replace(name, { from, to }) {
    const change = db.updateTable('setting').set({ value: to }).where('name', '=', name).where('value', '=', from)
    return (await change.executeTakeFirst()).numUpdatedRows > 0n
  },
})

export const metrics = (db: Db): Metrics => ({
  async keep(samples) {
    if (samples.length === 0) return
    const latest = new Map(samples.map((sample) => [`${sample.nodeId} ${sample.stepMs} ${sample.at}`, sample]))
    await db
      .insertInto('metric')
      .values(
        [...latest.values()].map(({ nodeId, stepMs, at, figures }) => ({
          step_ms: stepMs,
          at,
          node_id: nodeId,
          figures: JSON.stringify(figures),
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(['step_ms', 'at', 'node_id']).doUpdateSet((eb) => ({ figures: eb.ref('excluded.figures') })),
      )
      .execute()
  },

  async list(stepMs, from, until) {
    const rows = await db
      .selectFrom('metric')
      .selectAll()
      .where('step_ms', '=', stepMs)
      .where('at', '>=', from)
      .where('at', '<', until)
      .orderBy('at')
      .execute()
    return rows.map((row) => ({ nodeId: row.node_id, stepMs: row.step_ms, at: row.at, figures: JSON.parse(row.figures) as SavedFigures }))
  },

  async removeBefore(at) {
    return affectedRows(db.deleteFrom('metric').where('at', '<', at))
  },
})
