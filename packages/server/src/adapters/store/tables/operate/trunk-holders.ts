import { sql } from 'kysely'
import type { HeldTrunk, TrunkHolders } from '#core/kernel/ports/store/operate/trunk-holders.ts'
import type { Db } from '#adapters/store/schema/index.ts'

const nothingYet = (now: number): HeldTrunk => ({ registered: false, since: now, serviceRoute: [] })

export const trunkHolders = (db: Db): TrunkHolders => ({
  async list() {
    const rows = await db.selectFrom('trunk_holder').selectAll().orderBy('trunk_id').execute()
    return rows.map(({ trunk_id: trunkId, owner, until, state }) => ({ trunkId, owner, until, state: JSON.parse(state) as HeldTrunk }))
  },

  async hold(trunkIds, { owner, until, now, gone }) {
    if (trunkIds.length === 0) return
    const state = JSON.stringify(nothingYet(now))
    // In one order, so that two processes never wait for each other.
    const rows = trunkIds.toSorted().map((trunkId) => ({ trunk_id: trunkId, owner, until, state }))
    await db
      .insertInto('trunk_holder')
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .column('trunk_id')
          .doUpdateSet({
            owner,
            until,
            state: sql<string>`case when trunk_holder.owner = ${owner} then trunk_holder.state else ${state} end`,
          })
          .where((eb) =>
            eb.or([
              eb('trunk_holder.owner', '=', owner),
              eb('trunk_holder.until', '<', now),
              ...(gone.length === 0 ? [] : [eb('trunk_holder.owner', 'in', gone)]),
            ]),
          ),
      )
      .execute()
  },

  async note(trunkId, owner, state) {
    await db
      .updateTable('trunk_holder')
      .set({ state: JSON.stringify(state) })
      .where('trunk_id', '=', trunkId)
      .where('owner', '=', owner)
      .execute()
  },

  async release(owner) {
    await db.deleteFrom('trunk_holder').where('owner', '=', owner).execute()
  },
})
