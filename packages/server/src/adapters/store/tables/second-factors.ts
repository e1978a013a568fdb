import type { SecondFactors } from '../../../core/ports/store/second-factors.ts'
import type { Db } from '../schema/index.ts'

export const secondFactors = (db: Db): SecondFactors => ({
  async findTotp(subject) {
    const row = await db.selectFrom('totp').selectAll().where('subject', '=', subject).executeTakeFirst()
    return row && { secretSealed: row.secret_sealed, confirmed: row.confirmed_at !== null }
  },

  async beginTotp(subject, secretSealed, at) {
    const begun = { secret_sealed: secretSealed, last_counter: 0, created_at: at }
    await db
      .insertInto('totp')
      .values({ subject, ...begun, confirmed_at: null })
      .onConflict((conflict) => conflict.column('subject').doUpdateSet(begun).where('totp.confirmed_at', 'is', null))
      .execute()
  },

  async confirmTotp(subject, counter, at) {
    const { numUpdatedRows } = await db
      .updateTable('totp')
      .set({ confirmed_at: at, last_counter: counter })
      .where('subject', '=', subject)
      .where('confirmed_at', 'is', null)
      .executeTakeFirst()
    return numUpdatedRows > 0
  },

  async spendTotp(subject, counter) {
    const { numUpdatedRows } = await db
      .updateTable('totp')
      .set({ last_counter: counter })
      .where('subject', '=', subject)
      .where('confirmed_at', 'is not', null)
      .where('last_counter', '<', counter)
      .executeTakeFirst()
    return numUpdatedRows > 0
  },

  async setRecoveryCodes(subject, hashes) {
    await db.deleteFrom('recovery_code').where('subject', '=', subject).execute()
    if (hashes.length === 0) return
    const rows = hashes.map((hash) => ({ subject, hash, used_at: null }))
    await db.insertInto('recovery_code').values(rows).execute()
  },

  async countRecoveryCodes(subject) {
    const rows = await db.selectFrom('recovery_code').select('hash').where('subject', '=', subject).where('used_at', 'is', null).execute()
    return rows.length
  },

  async spendRecoveryCode(subject, hash, at) {
    const { numUpdatedRows } = await db
      .updateTable('recovery_code')
      .set({ used_at: at })
      .where('subject', '=', subject)
      .where('hash', '=', hash)
      .where('used_at', 'is', null)
      .executeTakeFirst()
    return numUpdatedRows > 0
  },

  async removeAll(subject) {
    const { numDeletedRows } = await db.deleteFrom('totp').where('subject', '=', subject).executeTakeFirst()
    await db.deleteFrom('recovery_code').where('subject', '=', subject).execute()
    return numDeletedRows > 0
  },
})
