import type {
  IdentityProvider,
  IdentityProviders,
  ProviderDomain,
  ProviderSession,
  ProviderSettings,
} from '#core/kernel/ports/store/single-sign-on.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { asFlag, asJson, hidden, record } from '../record.ts'

export const provider = record<Schema['identity_provider'], IdentityProvider>()({ settings: asJson<ProviderSettings>(), enforced: asFlag })
const domain = record<Schema['provider_domain'], ProviderDomain>()({ account_id: hidden })

const toSession = (row: Omit<Schema['provider_session'], 'account_id'>): ProviderSession => ({
  tokenId: row.token_id,
  providerId: row.provider_id,
  userId: row.user_ext,
  hintSealed: row.hint_sealed,
  createdAt: row.created_at,
})

export const identityProviders = (db: Db): IdentityProviders => {
  const ofOpenAccount = () =>
    db
      .selectFrom('identity_provider')
      .innerJoin('account', 'account.id', 'identity_provider.account_id')
      .selectAll('identity_provider')
      .where('account.closed_at', 'is', null)
  return {
    async list(accountId) {
      const rows = await db
        .selectFrom('identity_provider')
        .selectAll()
        .where('account_id', '=', accountId)
        .orderBy('created_at')
        .orderBy('id')
        .execute()
      return rows.map(provider.fields)
    },

    async find(accountId, id) {
      const row = await db
        .selectFrom('identity_provider')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .executeTakeFirst()
      return row && provider.fields(row)
    },

    async findAnywhere(id) {
      const row = await ofOpenAccount().where('identity_provider.id', '=', id).executeTakeFirst()
      return row && provider.fields(row)
    },

    async findByDomain(name) {
      const row = await ofOpenAccount()
        .innerJoin('provider_domain', 'provider_domain.provider_id', 'identity_provider.id')
        .where('provider_domain.domain', '=', name)
        .where('provider_domain.verified_at', 'is not', null)
        .executeTakeFirst()
      return row && provider.fields(row)
    },

    async insert(row) {
      await db.insertInto('identity_provider').values(provider.columns(row)).execute()
    },

    async update(accountId, id, { name, settings, secretSealed, enforced, scimHash }) {
      await db
        .updateTable('identity_provider')
        .set(provider.columns({ name, settings, secretSealed, enforced, scimHash }))
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .execute()
    },

    async remove(accountId, id) {
      for (const table of ['provider_session', 'provider_user', 'provider_domain', 'provider_group'] as const)
        await db.deleteFrom(table).where('account_id', '=', accountId).where('provider_id', '=', id).execute()
      await db.deleteFrom('identity_provider').where('account_id', '=', accountId).where('id', '=', id).execute()
    },

    async domains(accountId) {
      const rows = await db.selectFrom('provider_domain').selectAll().where('account_id', '=', accountId).orderBy('domain').execute()
      return rows.map(domain.fields)
    },

    async addDomain(accountId, providerId, name) {
      await db
        .insertInto('provider_domain')
        .values({ account_id: accountId, provider_id: providerId, domain: name, verified_at: null })
        .onConflict((conflict) => conflict.columns(['provider_id', 'domain']).doNothing())
        .execute()
    },

    async removeDomain(accountId, providerId, name) {
      await db
        .deleteFrom('provider_domain')
        .where('account_id', '=', accountId)
        .where('provider_id', '=', providerId)
        .where('domain', '=', name)
        .execute()
    },

    async verifyDomain(accountId, providerId, name, at) {
      await db
        .updateTable('provider_domain')
        .set({ verified_at: at })
        .where('account_id', '=', accountId)
        .where('provider_id', '=', providerId)
        .where('domain', '=', name)
        .execute()
    },

    ...providerUsers(db),
  }
}

/** Users whom providers know, and their logins. */
const providerUsers = (
  db: Db,
): Pick<
  IdentityProviders,
  'findUser' | 'linkUser' | 'keepSession' | 'findSession' | 'listSessions' | 'removeSession' | 'removeOldSessions' | 'removeByUser'
> => ({
  async findUser(accountId, providerId, subject) {
    const row = await db
      .selectFrom('provider_user')
      .select('user_ext')
      .where('account_id', '=', accountId)
      .where('provider_id', '=', providerId)
      .where('subject', '=', subject)
      .executeTakeFirst()
    return row?.user_ext
  },

  async linkUser(accountId, providerId, { userId, subject, at }) {
    await db
      .insertInto('provider_user')
      .values({ account_id: accountId, provider_id: providerId, user_ext: userId, subject, external_id: null, created_at: at })
      .onConflict((conflict) => conflict.columns(['provider_id', 'user_ext']).doUpdateSet({ subject }))
      .execute()
  },

  async keepSession(accountId, { tokenId, providerId, userId, hintSealed, createdAt }) {
    await db
      .insertInto('provider_session')
      .values({
        token_id: tokenId,
        provider_id: providerId,
        account_id: accountId,
        user_ext: userId,
        hint_sealed: hintSealed,
        created_at: createdAt,
      })
      .execute()
  },

  async findSession(accountId, tokenId) {
    const row = await db
      .selectFrom('provider_session')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('token_id', '=', tokenId)
      .executeTakeFirst()
    return row && toSession(row)
  },

  async listSessions(accountId, providerId) {
    const rows = await db
      .selectFrom('provider_session')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('provider_id', '=', providerId)
      .execute()
    return rows.map(toSession)
  },

  async removeSession(accountId, tokenId) {
    await db.deleteFrom('provider_session').where('account_id', '=', accountId).where('token_id', '=', tokenId).execute()
  },

  async removeOldSessions() {
    const { numDeletedRows } = await db
      .deleteFrom('provider_session')
      .where('token_id', 'not in', db.selectFrom('token').select('id'))
      .executeTakeFirst()
    return Number(numDeletedRows)
  },

  async removeByUser(accountId, userId) {
    for (const table of ['provider_session', 'provider_user', 'provider_group_member'] as const)
      await db.deleteFrom(table).where('account_id', '=', accountId).where('user_ext', '=', userId).execute()
  },
})
