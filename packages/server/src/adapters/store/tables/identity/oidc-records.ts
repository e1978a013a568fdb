import type { OidcRecords, StoredOidcRecord } from '#core/kernel/ports/store/identity/oidc-records.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import type { Db } from '#adapters/store/schema/index.ts'

export const oidcRecords = (db: Db, dialect: Dialect): OidcRecords => {
  const unexpired = (model: string, now: number) =>
    db
      .selectFrom('oidc_record')
      .select(['payload', 'consumed_at'])
      .where('model', '=', model)
      .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))

  return {
    async put({ model, idHash, sealed, grantId, uid, subject, clientId, expiresAt }) {
      const content = {
        payload: sealed,
        grant_id: grantId ?? null,
        uid: uid ?? null,
        subject: subject ?? null,
        client_id: clientId ?? null,
        expires_at: expiresAt ?? null,
      }
      await db
        .insertInto('oidc_record')
        .values({ model, id: idHash, ...content, consumed_at: null })
        .onConflict((conflict) => conflict.columns(['model', 'id']).doUpdateSet(content))
        .execute()
    },

    async find(model, idHash, now) {
      const row = await unexpired(model, now).where('id', '=', idHash).executeTakeFirst()
      return row && toStored(row)
    },

    async findByUid(model, uid, now) {
      const row = await unexpired(model, now).where('uid', '=', uid).executeTakeFirst()
      return row && toStored(row)
    },

    async listBySubject(model, subject, now) {
      const rows = await unexpired(model, now).select('id').where('subject', '=', subject).orderBy('id').execute()
      return rows.map((row) => ({ idHash: row.id, ...toStored(row) }))
    },

    async consume(model, idHash, at) {
      const { numUpdatedRows } = await db
        .updateTable('oidc_record')
        .set({ consumed_at: at })
        .where('model', '=', model)
        .where('id', '=', idHash)
        .where('consumed_at', 'is', null)
        .executeTakeFirst()
      return numUpdatedRows > 0
    },

    async hold(model, idHash) {
      const row = await db
        .selectFrom('oidc_record')
        .select('id')
        .where('model', '=', model)
        .where('id', '=', idHash)
        .$if(dialect === 'postgres', (query) => query.forUpdate())
        .executeTakeFirst()
      return row !== undefined
    },

    async remove(model, idHash) {
      await db.deleteFrom('oidc_record').where('model', '=', model).where('id', '=', idHash).execute()
    },

    async removeByGrant(grantId) {
      await db.deleteFrom('oidc_record').where('grant_id', '=', grantId).execute()
    },

    async removeBySubject(subject) {
      await db.deleteFrom('oidc_record').where('subject', '=', subject).execute()
    },

    async removeByClient(clientId) {
      await db.deleteFrom('oidc_record').where('client_id', '=', clientId).execute()
    },

    async removeExpired(now) {
      const { numDeletedRows } = await db.deleteFrom('oidc_record').where('expires_at', '<=', now).executeTakeFirst()
      return Number(numDeletedRows)
    },
  }
}

const toStored = (row: { payload: string; consumed_at: number | null }): StoredOidcRecord => ({
  sealed: row.payload,
  consumedAt: row.consumed_at ?? undefined,
})
