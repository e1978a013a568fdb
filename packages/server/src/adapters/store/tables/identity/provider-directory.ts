import type { ProviderDirectory } from '#core/kernel/ports/store/provider-directory.ts'
import type { Db } from '#adapters/store/schema/index.ts'
import { provider } from './identity-providers.ts'

export const providerDirectory = (db: Db): ProviderDirectory => {
  const setMembers = async (accountId: string, groupId: string, members: readonly string[]): Promise<void> => {
    await db.deleteFrom('provider_group_member').where('account_id', '=', accountId).where('group_id', '=', groupId).execute()
    const rows = members.map((userId) => ({ group_id: groupId, account_id: accountId, user_ext: userId }))
    if (rows.length > 0) await db.insertInto('provider_group_member').values(rows).execute()
  }
  return {
    async findProvider(tokenHash) {
      const row = await db
        .selectFrom('identity_provider')
        .innerJoin('account', 'account.id', 'identity_provider.account_id')
        .selectAll('identity_provider')
        .where('account.closed_at', 'is', null)
        .where('identity_provider.scim_hash', '=', tokenHash)
        .executeTakeFirst()
      return row && provider.fields(row)
    },

    async links(accountId, providerId) {
      const rows = await db
        .selectFrom('provider_user')
        .select(['user_ext', 'external_id'])
        .where('account_id', '=', accountId)
        .where('provider_id', '=', providerId)
        .execute()
      return rows.map((row) => ({ userId: row.user_ext, externalId: row.external_id ?? undefined }))
    },

    async link(accountId, providerId, { userId, externalId = null }, at) {
      await db
        .insertInto('provider_user')
        .values({
          account_id: accountId,
          provider_id: providerId,
          user_ext: userId,
          subject: null,
          external_id: externalId,
          created_at: at,
        })
        .onConflict((conflict) => conflict.columns(['provider_id', 'user_ext']).doUpdateSet({ external_id: externalId }))
        .execute()
    },

    async unlink(accountId, providerId, userId) {
      const groups = db.selectFrom('provider_group').select('id').where('provider_id', '=', providerId)
      await db
        .deleteFrom('provider_group_member')
        .where('account_id', '=', accountId)
        .where('user_ext', '=', userId)
        .where('group_id', 'in', groups)
        .execute()
      await db
        .deleteFrom('provider_user')
        .where('account_id', '=', accountId)
        .where('provider_id', '=', providerId)
        .where('user_ext', '=', userId)
        .execute()
    },

    async groups(accountId, providerId) {
      const rows = await db
        .selectFrom('provider_group')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('provider_id', '=', providerId)
        .orderBy('name')
        .execute()
      const members = await db
        .selectFrom('provider_group_member')
        .innerJoin('provider_group', 'provider_group.id', 'provider_group_member.group_id')
        .select(['provider_group_member.group_id', 'provider_group_member.user_ext'])
        .where('provider_group.account_id', '=', accountId)
        .where('provider_group.provider_id', '=', providerId)
        .orderBy('provider_group_member.user_ext')
        .execute()
      const byGroup = Map.groupBy(members, ({ group_id: groupId }) => groupId)
      return rows.map(({ id, name, external_id: externalId }) => ({
        id,
        name,
        externalId: externalId ?? undefined,
        members: (byGroup.get(id) ?? []).map(({ user_ext: userId }) => userId),
      }))
    },

    async insertGroup(accountId, providerId, { id, name, externalId = null, members }, at) {
      const row = { id, provider_id: providerId, account_id: accountId, name, external_id: externalId, created_at: at }
      await db.insertInto('provider_group').values(row).execute()
      await setMembers(accountId, id, members)
    },

    async updateGroup(accountId, { id, name, externalId = null, members }) {
      const change = db.updateTable('provider_group').set({ name, external_id: externalId })
      await change.where('account_id', '=', accountId).where('id', '=', id).execute()
      await setMembers(accountId, id, members)
    },

    async removeGroup(accountId, groupId) {
      await setMembers(accountId, groupId, [])
      await db.deleteFrom('provider_group').where('account_id', '=', accountId).where('id', '=', groupId).execute()
    },
  }
}
