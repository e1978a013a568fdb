import type { Selectable } from 'kysely'
import type { OauthClient, OauthClients, OidcRecords, StoredOidcRecord, SigningKeys } from '#core/kernel/ports/store/identity.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import { affectedRows, countRows, hasEffect } from '../row-counts.ts'

export const oauthClients = (db: Db): OauthClients => ({
  async list(accountId, userId) {
    const rows = await db
      .selectFrom('oauth_client')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('user_ext', '=', userId)
      .orderBy('created_at')
      .orderBy('client_id')
      .execute()
    return rows.map(toClient)
  },

  async count(accountId) {
    return countRows(db.selectFrom('oauth_client').where('account_id', '=', accountId))
  },

  async find(accountId, clientId) {
    const row = await db
      .selectFrom('oauth_client')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('client_id', '=', clientId)
      .executeTakeFirst()
    return row && toClient(row)
  },

  async findAnywhere(clientId) {
    const row = await db
      .selectFrom('oauth_client')
      .innerJoin('account', 'account.id', 'oauth_client.account_id')
      .innerJoin('app_user', (join) =>
        join.onRef('app_user.account_id', '=', 'oauth_client.account_id').onRef('app_user.ext', '=', 'oauth_client.user_ext'),
      )
      .selectAll('oauth_client')
      .where('oauth_client.client_id', '=', clientId)
      .where('account.closed_at', 'is', null)
      .where('app_user.disabled_at', 'is', null)
      .executeTakeFirst()
    return row && toClient(row)
  },

  async insert(accountId, client, at) {
    await db
      .insertInto('oauth_client')
      .values({
        client_id: client.clientId,
        account_id: accountId,
        user_ext: client.userId,
        name: client.name,
        secret_hash: client.secretHash,
        redirect_uris: JSON.stringify(client.redirectUris),
        created_at: at,
      })
      .execute()
  },

  async update(accountId, clientId, { name, redirectUris, secretHash }) {
    await db
      .updateTable('oauth_client')
      .set({
        created_at: (eb) => eb.ref('created_at'), // an update needs at least one column, even without changes
        ...(name !== undefined && { name }),
        ...(redirectUris !== undefined && { redirect_uris: JSON.stringify(redirectUris) }),
        ...(secretHash !== undefined && { secret_hash: secretHash }),
      })
      .where('account_id', '=', accountId)
      .where('client_id', '=', clientId)
      .execute()
  },

  async remove(accountId, clientId) {
    await db.deleteFrom('oauth_client').where('account_id', '=', accountId).where('client_id', '=', clientId).execute()
  },
})

const toClient = (row: Selectable<Schema['oauth_client']>): OauthClient => ({
  clientId: row.client_id,
  userId: row.user_ext,
  name: row.name,
  redirectUris: JSON.parse(row.redirect_uris) as string[],
  secretHash: row.secret_hash,
})

/** Maximum records removed at a time; at most one above the limit is added at a time. */
const maxSurplus = 100

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

    async extend(model, idHash, expiresAt) {
      await db.updateTable('oidc_record').set({ expires_at: expiresAt }).where('model', '=', model).where('id', '=', idHash).execute()
    },

    async keepNewest(model, count, expiresBy) {
      const surplus = await db
        .selectFrom('oidc_record')
        .select('id')
        .where('model', '=', model)
        .where('expires_at', '<=', expiresBy)
        .orderBy('expires_at', 'desc')
        .limit(maxSurplus)
        .offset(count)
        .execute()
      if (surplus.length === 0) return
      const ids = surplus.map(({ id }) => id)
      await db.deleteFrom('oidc_record').where('model', '=', model).where('id', 'in', ids).execute()
    },

    async consume(model, idHash, at) {
      return hasEffect(
        db
          .updateTable('oidc_record')
          .set({ consumed_at: at })
          .where('model', '=', model)
          .where('id', '=', idHash)
          .where('consumed_at', 'is', null),
      )
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

    async removeBySubject(subject, models) {
      await db
        .deleteFrom('oidc_record')
        .where('subject', '=', subject)
        .$if(models !== undefined, (query) => query.where('model', 'in', models ?? []))
        .execute()
    },

    async removeByClient(clientId) {
      await db.deleteFrom('oidc_record').where('client_id', '=', clientId).execute()
    },

    async removeExpired(now) {
      return affectedRows(db.deleteFrom('oidc_record').where('expires_at', '<=', now))
    },
  }
}

const toStored = (row: { payload: string; consumed_at: number | null }): StoredOidcRecord => ({
  sealed: row.payload,
  consumedAt: row.consumed_at ?? undefined,
})

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
