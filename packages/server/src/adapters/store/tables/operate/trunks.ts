import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Trunk, Trunks, TrunkSettings, HeldTrunk, TrunkHolders } from '#core/kernel/ports/store/operate.ts'
import { flag } from '#adapters/store/schema/columns.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { hasEffect } from '../row-counts.ts'

export const trunks = (db: Db): Trunks => ({
  async list() {
    const rows = await db.selectFrom('trunk').selectAll().orderBy('created_at').orderBy('id').execute()
    return rows.map(toTrunk)
  },

  async find(id) {
    const row = await db.selectFrom('trunk').selectAll().where('id', '=', id).executeTakeFirst()
    return row && toTrunk(row)
  },

  async insert(trunk) {
    await db
      .insertInto('trunk')
      .values({ ...columns(trunk), id: trunk.id, created_at: trunk.createdAt })
      .execute()
  },

  async update(trunk) {
    return hasEffect(db.updateTable('trunk').set(columns(trunk)).where('id', '=', trunk.id))
  },

  async remove(id) {
    return hasEffect(db.deleteFrom('trunk').where('id', '=', id))
  },
})

const columns = ({ name, settings, passwordSealed, active, updatedAt }: Omit<Trunk, 'createdAt'>) => ({
  name,
  settings: JSON.stringify(settings),
  password_sealed: passwordSealed ?? '',
  active: flag(active),
  updated_at: updatedAt,
})

/** For trunks stored before these fields existed. */
const addedLater: Pick<TrunkSettings, 'mediaAddresses' | 'defaultNumber'> = { mediaAddresses: [], defaultNumber: '' }

const toTrunk = (row: Selectable<Schema['trunk']>): Trunk => ({
  id: row.id,
  name: row.name,
  settings: { ...addedLater, ...(JSON.parse(row.settings) as TrunkSettings) },
  passwordSealed: row.password_sealed === '' ? undefined : row.password_sealed,
  active: row.active === 1,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

const nothingYet = (now: number): HeldTrunk => ({ registered: false, since: now, serviceRoute: [] })

export const trunkHolders = (db: Db): TrunkHolders => ({
  async list() {
    const rows = await db.selectFrom('trunk_holder').selectAll().orderBy('trunk_id').execute()
    return rows.map(({ trunk_id: trunkId, owner, until, state }) => ({ trunkId, owner, until, state: JSON.parse(state) as HeldTrunk }))
  },

  async hold(trunkIds, { owner, until, now, gone }) {
    if (trunkIds.length === 0) return
    const state = JSON.stringify(nothingYet(now))
    // In a fixed order, so that two processes never deadlock.
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
