import type { Operators } from '#core/kernel/ports/store/operate/operators.ts'
import type { Db } from '#adapters/store/schema/index.ts'

export const operators = (db: Db): Operators => ({
  async insert({ id, email, name, passwordHash, createdAt }) {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('operator')
      .values({ id, email: email.toLowerCase(), name, password_hash: passwordHash, created_at: createdAt })
      .onConflict((conflict) => conflict.column('email').doNothing())
      .executeTakeFirst()
    return (numInsertedOrUpdatedRows ?? 0n) > 0n
  },

  list: () => db.selectFrom('operator').select(['id', 'email', 'name']).orderBy('created_at').execute(),

  async find(id) {
    return db.selectFrom('operator').select(['id', 'email', 'name']).where('id', '=', id).executeTakeFirst()
  },

  async findCredentials(email) {
    const row = await db
      .selectFrom('operator')
      .select(['id', 'password_hash'])
      .where('email', '=', email.trim().toLowerCase())
      .executeTakeFirst()
    return row && { id: row.id, passwordHash: row.password_hash }
  },
})
