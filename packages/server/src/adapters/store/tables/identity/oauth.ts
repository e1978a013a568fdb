import type {
  OauthClient,
  OauthClients,
  OidcRecords,
  SigningKey,
  SigningKeys,
  StoredOidcRecord,
} from '#core/kernel/ports/store/identity.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import { asJson, hidden, record } from '../record.ts'
import { affectedRows, countRows, hasEffect } from '../row-counts.ts'

const client = record<Schema['oauth_client'], OauthClient>()({
  user_ext: 'userId',
  redirectUris: asJson<string[]>(),
  account_id: hidden,
  created_at: hidden,
})

export const oauthClients = (db: Db): OauthClients => ({
  async list(accountId, userId) {
    const ofUser = db.selectFrom('oauth_client').selectAll().where('account_id', '=', accountId).where('user_ext', '=', userId)
    return client.all(ofUser.orderBy('created_at').orderBy('client_id'))
  },

  async count(accountId) {
    return countRows(db.selectFrom('oauth_client').where('account_id', '=', accountId))
  },

  async find(accountId, clientId) {
    return client.first(db.selectFrom('oauth_client').selectAll().where('account_id', '=', accountId).where('client_id', '=', clientId))
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
    return row && client.fields(row)
  },

  async insert(accountId, input, at) {
    const values = { account_id: accountId, ...client.columns(input), created_at: at }
    await db.insertInto('oauth_client').values(values).execute()
  },

  async update(accountId, clientId, change) {
    await db
      .updateTable('oauth_client')
      .set({
        created_at: (eb) => eb.ref('created_at'), // an update needs at least one column, even without changes
        ...client.changes(change),
      })
      .where('account_id', '=', accountId)
      .where('client_id', '=', clientId)
      .execute()
  },

  async remove(accountId, clientId) {
    await db.deleteFrom('oauth_client').where('account_id', '=', accountId).where('client_id', '=', clientId).execute()
  },
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

const signingKey = record<Schema['signing_key'], SigningKey>()({})

export const signingKeys = (db: Db): SigningKeys => ({
  async list() {
    return signingKey.all(db.selectFrom('signing_key').selectAll().orderBy('created_at', 'desc').orderBy('kid'))
  },

  async insert(input) {
    await db
      .insertInto('signing_key')
      .values(signingKey.columns(input))
      .onConflict((conflict) => conflict.column('kid').doNothing())
      .execute()
  },
})
