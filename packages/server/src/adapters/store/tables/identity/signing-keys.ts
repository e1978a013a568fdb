import type { SigningKeys } from '#core/kernel/ports/store/identity/signing-keys.ts'
import type { Db } from '#adapters/store/schema/index.ts'

export const signingKeys = (db: Db): SigningKeys => ({
  async list() {
    const rows = await db.selectFrom('signing_key').selectAll().orderBy('created_at', 'desc').orderBy('kid').execute()
    return rows.map((row) => ({ kid: row.kid, jwkSealed: row.jwk_sealed, createdAt: row.created_at }))
  },

  async insert({ kid, jwkSealed, createdAt }) {
    await db
      .insertInto('signing_key')
      .values({ kid, jwk_sealed: jwkSealed, created_at: createdAt })
      .onConflict((conflict) => conflict.column('kid').doNothing())
      .execute()
  },
})
