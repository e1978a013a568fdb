import { sql } from 'kysely'
import type { Passkey, SecondFactors, Attempts } from '#core/kernel/ports/store/identity.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import { asWords, hidden, record } from '../record.ts'
import { affectedRows, hasEffect } from '../row-counts.ts'

const passkey = record<Schema['passkey'], Passkey>()({ transports: asWords(), subject: hidden })

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
    return hasEffect(
      db
        .updateTable('totp')
        .set({ confirmed_at: at, last_counter: counter })
        .where('subject', '=', subject)
        .where('confirmed_at', 'is', null),
    )
  },

  async spendTotp(subject, counter) {
    return hasEffect(
      db
        .updateTable('totp')
        .set({ last_counter: counter })
        .where('subject', '=', subject)
        .where('confirmed_at', 'is not', null)
        .where('last_counter', '<', counter),
    )
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
    return hasEffect(
      db
        .updateTable('recovery_code')
        .set({ used_at: at })
        .where('subject', '=', subject)
        .where('hash', '=', hash)
        .where('used_at', 'is', null),
    )
  },

  async removeTotp(subject) {
    return hasEffect(db.deleteFrom('totp').where('subject', '=', subject))
  },

  async listPasskeys(subject) {
    return passkey.all(db.selectFrom('passkey').selectAll().where('subject', '=', subject).orderBy('created_at').orderBy('id'))
  },

  async insertPasskey(subject, input) {
    return hasEffect(
      db
        .insertInto('passkey')
        .values({ subject, ...passkey.columns(input) })
        .onConflict((conflict) => conflict.column('credential_id').doNothing()),
    )
  },

  async notePasskeyUse(subject, id, { counter, at }) {
    const known = db.updateTable('passkey').set({ counter, last_used_at: at }).where('subject', '=', subject).where('id', '=', id)
    return hasEffect(known.where('counter', counter === 0 ? '=' : '<', counter))
  },

  async removePasskey(subject, id) {
    return hasEffect(db.deleteFrom('passkey').where('subject', '=', subject).where('id', '=', id))
  },

  async spendChallenge(hash, at, expiresAt) {
    await db.deleteFrom('spent_challenge').where('expires_at', '<=', at).execute()
    return hasEffect(
      db
        .insertInto('spent_challenge')
        .values({ hash, expires_at: expiresAt })
        .onConflict((conflict) => conflict.column('hash').doNothing()),
    )
  },

  async removeAll(subject) {
    const totps = await affectedRows(db.deleteFrom('totp').where('subject', '=', subject))
    const passkeys = await affectedRows(db.deleteFrom('passkey').where('subject', '=', subject))
    await db.deleteFrom('recovery_code').where('subject', '=', subject).execute()
    return totps + passkeys > 0
  },
})

export const attempts = (db: Db, dialect: Dialect): Attempts => ({
  async take({ bucket, limit, windowMs }, now) {
    // There is no row to lock before the first attempt, so the bucket's name is locked until the end of the transaction.
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

  async removeOlderThan(at, except) {
    return affectedRows(
      db
        .deleteFrom('attempt')
        .where('at', '<', at)
        .$if(except !== undefined, (query) => query.where('bucket', 'not like', `${except}%`)),
    )
  },
})
