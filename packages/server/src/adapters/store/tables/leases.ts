import type { Leases } from '../../../core/ports/store/leases.ts'
import type { Db } from '../schema/index.ts'

export const leases = (db: Db): Leases => ({
  async renew({ owner, until }) {
    await db
      .insertInto('lease')
      .values({ owner, until })
      .onConflict((conflict) => conflict.column('owner').doUpdateSet({ until }))
      .execute()
  },

  async find(owner) {
    const row = await db.selectFrom('lease').selectAll().where('owner', '=', owner).executeTakeFirst()
    return row && { ...row }
  },

  async listOthers(owner) {
    const rows = await db.selectFrom('lease').selectAll().where('owner', '!=', owner).orderBy('until').execute()
    return rows.map((row) => ({ ...row }))
  },

  async remove({ owner, until }) {
    await db.deleteFrom('lease').where('owner', '=', owner).where('until', '=', until).execute()
  },
})
