import type { Metrics, SavedFigures } from '#core/kernel/ports/store/operate/metrics.ts'
import type { Db } from '#adapters/store/schema/index.ts'

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
    const { numDeletedRows } = await db.deleteFrom('metric').where('at', '<', at).executeTakeFirst()
    return Number(numDeletedRows)
  },
})
