import type { Selectable } from 'kysely'
import type { OauthClient, OauthClients } from '#core/kernel/ports/store/identity/oauth-clients.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'

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
    const { count } = await db
      .selectFrom('oauth_client')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('account_id', '=', accountId)
      .executeTakeFirstOrThrow()
    return count
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
        created_at: (eb) => eb.ref('created_at'), // an update needs at least one column, and nothing need have changed
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
