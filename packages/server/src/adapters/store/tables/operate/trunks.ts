import type { Selectable } from 'kysely'
import type { Trunk, Trunks, TrunkSettings } from '#core/kernel/ports/store/operate/trunks.ts'
import { flag } from '#adapters/store/schema/columns.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'

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
    const { numUpdatedRows } = await db.updateTable('trunk').set(columns(trunk)).where('id', '=', trunk.id).executeTakeFirst()
    return numUpdatedRows > 0
  },

  async remove(id) {
    const { numDeletedRows } = await db.deleteFrom('trunk').where('id', '=', id).executeTakeFirst()
    return numDeletedRows > 0
  },
})

const columns = ({ name, settings, passwordSealed, active, updatedAt }: Omit<Trunk, 'createdAt'>) => ({
  name,
  settings: JSON.stringify(settings),
  password_sealed: passwordSealed ?? '',
  active: flag(active),
  updated_at: updatedAt,
})

/** For trunks that were stored before these fields existed. */
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
