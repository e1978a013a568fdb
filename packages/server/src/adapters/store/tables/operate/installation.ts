import type {
  ClusterNode,
  Nodes,
  Metrics,
  MetricSample,
  NodeWork,
  Operators,
  SavedFigures,
  Settings,
} from '#core/kernel/ports/store/operate.ts'
import { flag } from '#adapters/store/schema/columns.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { asFlag, asJson, record } from '../record.ts'
import { affectedRows, hasEffect } from '../row-counts.ts'

const stored = record<Schema['node'], ClusterNode & { drain: boolean }>()({
  drain: asFlag,
  draining: asFlag,
  stopping: asFlag,
  work: asJson<NodeWork>(),
})
const sample = record<Schema['metric'], MetricSample>()({ figures: asJson<SavedFigures>() })

export const nodes = (db: Db): Nodes => ({
  async keep(node) {
    const { seenAt, draining, stopping, work, ...fixed } = node
    const now = stored.columns({ seenAt, draining, stopping, work })
    const { drain } = await db
      .insertInto('node')
      .values({ ...stored.columns({ ...fixed, drain: false }), ...now })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(now))
      .returning('drain')
      .executeTakeFirstOrThrow()
    return drain === 1
  },

  async list(since) {
    return stored.all(db.selectFrom('node').selectAll().where('seen_at', '>=', since).orderBy('started_at').orderBy('id'))
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
    return hasEffect(change)
  },
})

export const metrics = (db: Db): Metrics => ({
  async keep(samples) {
    if (samples.length === 0) return
    const latest = new Map(samples.map((sample) => [`${sample.nodeId} ${sample.stepMs} ${sample.at}`, sample]))
    await db
      .insertInto('metric')
      .values([...latest.values()].map(sample.columns))
      .onConflict((conflict) =>
        conflict.columns(['step_ms', 'at', 'node_id']).doUpdateSet((eb) => ({ figures: eb.ref('excluded.figures') })),
      )
      .execute()
  },

  async list(stepMs, from, until) {
    const ofStep = db.selectFrom('metric').selectAll().where('step_ms', '=', stepMs)
    return sample.all(ofStep.where('at', '>=', from).where('at', '<', until).orderBy('at'))
  },

  async removeBefore(at) {
    return affectedRows(db.deleteFrom('metric').where('at', '<', at))
  },
})
