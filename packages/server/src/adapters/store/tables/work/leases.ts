import type { Selectable } from 'kysely'
import type { Lease, Leases } from '#core/kernel/ports/store/work.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'

export const leases = (db: Db, dialect: Dialect): Leases => ({
  async renew({ owner, until, doubtMs = 0 }) {
    await db
      .insertInto('lease')
      .values({ owner, until, doubt_ms: doubtMs })
      .onConflict((conflict) =>
        conflict.column('owner').doUpdateSet((eb) => ({
          until,
          // Two renewals may overtake each other: the later one decides.
          doubt_ms: eb.case().when('lease.until', '<=', until).then(doubtMs).else(eb.ref('lease.doubt_ms')).end(),
        })),
      )
      .execute()
  },

  async find(owner) {
    const row = await db.selectFrom('lease').selectAll().where('owner', '=', owner).executeTakeFirst()
    return row && toLease(row)
  },

  async listOthers(owner) {
    const rows = await db.selectFrom('lease').selectAll().where('owner', '!=', owner).orderBy('until').execute()
    return rows.map(toLease)
  },

  async lock({ owner, until }) {
    const row = await db
      .selectFrom('lease')
      .select('until')
      .where('owner', '=', owner)
      .$if(dialect === 'postgres', (query) => query.forUpdate())
      .executeTakeFirst()
    return row?.until === until
  },

  async remove({ owner, until }) {
    await db
      .deleteFrom('lease')
      .where('owner', '=', owner)
      .where('until', '=', until)
      .where((eb) => eb.not(eb.exists(eb.selectFrom('running_call').select('call_id').where('running_call.owner', '=', owner))))
      .where((eb) => eb.not(eb.exists(eb.selectFrom('fax').select('id').where('fax.owner', '=', owner))))
      .execute()
  },
})

const toLease = ({ owner, until, doubt_ms: doubtMs }: Selectable<Schema['lease']>): Lease => ({
  owner,
  until,
  ...(doubtMs > 0 && { doubtMs }),
})
