import type { Uploads } from '#core/kernel/ports/store/work.ts'
import type { Db } from '#adapters/store/schema/index.ts'

export const uploads = (db: Db): Uploads => ({
  async add({ key, place, createdAt }) {
    await db
      .insertInto('file_upload')
      .values({ file_key: key, place, created_at: createdAt, erased: 0 })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  },

  async find(key) {
    const row = await db.selectFrom('file_upload').selectAll().where('file_key', '=', key).executeTakeFirst()
    return row && { key, place: row.place, createdAt: row.created_at, erased: row.erased === 1 }
  },

  async erase(key) {
    await db.updateTable('file_upload').set({ erased: 1 }).where('file_key', '=', key).execute()
  },

  async remove(key) {
    const row = await db.deleteFrom('file_upload').where('file_key', '=', key).returning('erased').executeTakeFirst()
    return row?.erased === 1
  },
})
