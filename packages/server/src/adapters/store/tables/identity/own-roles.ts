import type { Selectable } from 'kysely'
import type { OwnRole, OwnRoles } from '#core/kernel/ports/store/identity.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'

export const ownRoles = (db: Db): OwnRoles => ({
  async list(accountId) {
    const rows = await db.selectFrom('own_role').selectAll().where('account_id', '=', accountId).orderBy('name').orderBy('id').execute()
    return rows.map(toOwnRole)
  },

  async insert(accountId, role, at) {
    await db
      .insertInto('own_role')
      .values({ account_id: accountId, id: role.id, ...columns(role), created_at: at })
      .execute()
  },

  async update(accountId, role) {
    const query = db.updateTable('own_role').set(columns(role)).where('account_id', '=', accountId).where('id', '=', role.id)
    return (await query.executeTakeFirst()).numUpdatedRows > 0n
  },

  async remove(accountId, id) {
    const query = db.deleteFrom('own_role').where('account_id', '=', accountId).where('id', '=', id)
    return (await query.executeTakeFirst()).numDeletedRows > 0n
  },

  async removeAll(accountId) {
    await db.deleteFrom('own_role').where('account_id', '=', accountId).execute()
  },
})

const columns = ({ name, permissions, scope }: OwnRole) => ({
  name,
  permissions: JSON.stringify(permissions),
  scope: scope ? JSON.stringify(scope) : null,
})

export const toOwnRole = (row: Selectable<Schema['own_role']>): OwnRole => ({
  id: row.id,
  name: row.name,
  permissions: JSON.parse(row.permissions) as OwnRole['permissions'],
  scope: row.scope === null ? undefined : (JSON.parse(row.scope) as OwnRole['scope']),
})

/** Ids as a user has them; null: none. */
export const readRoleIds = (written: string | null): string[] => (written === null ? [] : (JSON.parse(written) as string[]))
