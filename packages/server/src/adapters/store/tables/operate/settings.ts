import type { Settings } from '#core/kernel/ports/store/operate/settings.ts'
import type { Db } from '#adapters/store/schema/index.ts'

export const settings = (db: Db): Settings => ({
  async get(name) {
    const row = await db.selectFrom('setting').select('value').where('name', '=', name).executeTakeFirst()
    return row?.value
  },

  async setOnce(name, value) {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('setting')
      .values({ name, value })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .executeTakeFirst()
    return (numInsertedOrUpdatedRows ?? 0n) > 0n
  },

  async replace(name, { from, to }) {
    const change = db.updateTable('setting').set({ value: to }).where('name', '=', name).where('value', '=', from)
    return (await change.executeTakeFirst()).numUpdatedRows > 0n
  },
})
