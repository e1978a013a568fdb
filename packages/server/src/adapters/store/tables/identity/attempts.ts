import { sql } from 'kysely'
import type { Attempts } from '#core/kernel/ports/store/identity/attempts.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import type { Db } from '#adapters/store/schema/index.ts'

export const attempts = (db: Db, dialect: Dialect): Attempts => ({
  async take({ bucket, limit, windowMs }, now) {
    // There is no row to lock before the first attempt, so the bucket's name is locked until the transaction ends.
    if (dialect === 'postgres') await sql`select pg_advisory_xact_lock(hashtextextended(${bucket}, 0))`.execute(db)
    const counted = await db
      .selectFrom('attempt')
      .select('at')
      .where('bucket', '=', bucket)
      .where('at', '>', now - windowMs)
      .orderBy('at', 'desc')
      .limit(limit)
      .execute()
    const oldest = counted.at(-1)
    if (oldest && counted.length >= limit) return { fullSince: oldest.at }
    return db.insertInto('attempt').values({ bucket, at: now }).returning('id').executeTakeFirstOrThrow()
  },

  async forgive(ids) {
    await db.deleteFrom('attempt').where('id', 'in', ids).execute()
  },

  async removeOlderThan(at) {
    const { numDeletedRows } = await db.deleteFrom('attempt').where('at', '<', at).executeTakeFirst()
    return Number(numDeletedRows)
  },
})
