import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { HeldTrunk, Trunk, TrunkHolder, TrunkHolders, Trunks, TrunkSettings } from '#core/kernel/ports/store/operate.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { asFlag, asJson, hidden, record } from '../record.ts'
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

  async insert({ createdAt, ...trunk }) {
    const values = { ...columns(trunk), created_at: createdAt }
    await db.insertInto('trunk').values(values).execute()
  },

  async update(trunk) {
    return hasEffect(db.updateTable('trunk').set(columns(trunk)).where('id', '=', trunk.id))
  },

  async remove(id) {
    return hasEffect(db.deleteFrom('trunk').where('id', '=', id))
  },
})

/** For trunks stored before these fields existed. */
const addedLater: Pick<TrunkSettings, 'mediaAddresses' | 'defaultNumber'> = { mediaAddresses: [], defaultNumber: '' }

const stored = record<Schema['trunk'], Omit<Trunk, 'passwordSealed'>>()({
  settings: {
    write: JSON.stringify,
    read: (text: string): TrunkSettings => ({ ...addedLater, ...(JSON.parse(text) as TrunkSettings) }),
  },
  active: asFlag,
  password_sealed: hidden,
})

const columns = ({ passwordSealed, ...trunk }: Omit<Trunk, 'createdAt'>) => ({
  ...stored.columns(trunk),
  password_sealed: passwordSealed ?? '',
})

const toTrunk = (row: Selectable<Schema['trunk']>): Trunk => ({
  ...stored.fields(row),
  passwordSealed: row.password_sealed === '' ? undefined : row.password_sealed,
})

const holder = record<Schema['trunk_holder'], TrunkHolder>()({ state: asJson<HeldTrunk>() })

const nothingYet = (now: number): HeldTrunk => ({ registered: false, since: now, serviceRoute: [] })

export const trunkHolders = (db: Db): TrunkHolders => ({
  async list() {
    return holder.all(db.selectFrom('trunk_holder').selectAll().orderBy('trunk_id'))
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
