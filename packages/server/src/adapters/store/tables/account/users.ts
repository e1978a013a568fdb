import type { Selectable, Updateable } from 'kysely'
import type { UserRole } from '@offhook/contract/roles.ts'
import type { Credentials, User, Users } from '#core/kernel/ports/store/account.ts'
import type { Locale } from '#core/kernel/translations/index.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import { flag } from '#adapters/store/schema/columns.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { readRoleIds } from '../identity/own-roles.ts'
import { asFlag, asText, hidden, record } from '../record.ts'
import { hasEffect } from '../row-counts.ts'

const user = record<Schema['app_user'], Omit<User, 'admin' | 'role' | 'roleIds' | 'active'>>()({
  ext: 'id',
  busyOnBusy: asFlag,
  locale: asText<Locale>(),
  localeChosen: asFlag,
  account_id: hidden,
  password_hash: hidden,
  admin: hidden,
  role: hidden,
  role_ids: hidden,
  created_at: hidden,
  inactive_at: hidden,
  disabled_at: hidden,
})

export const users = (db: Db, dialect: Dialect): Users => ({
  async list(accountId) {
    const rows = await enabled(db).where('account_id', '=', accountId).orderBy('created_at').orderBy('ext').execute()
    return rows.map(toUser)
  },

  async find(accountId, id) {
    const row = await enabled(db).where('account_id', '=', accountId).where('ext', '=', id).executeTakeFirst()
    return row && toUser(row)
  },

  async findCredentials(email) {
    const row = await inOpenAccount(db).where('email', '=', normal(email)).executeTakeFirst()
    return row && toCredentials(row)
  },

  async hold(accountId, id) {
    const row = await inOpenAccount(db)
      .where('account_id', '=', accountId)
      .where('ext', '=', id)
      .$if(dialect === 'postgres', (query) => query.forShare())
      .executeTakeFirst()
    return row && toCredentials(row)
  },

  async findBySubject(subject) {
    const row = await inOpenAccount(db).where('subject', '=', subject).executeTakeFirst()
    return row && { accountId: row.account_id, userId: row.ext }
  },

  async insert(accountId, { role, passwordHash, createdAt, ...known }) {
    const values = {
      account_id: accountId,
      ...user.columns({ ...known, email: normal(known.email), localeChosen: false }),
      ...roleColumns(role),
      password_hash: passwordHash,
      created_at: createdAt,
    }
    return hasEffect(
      db
        .insertInto('app_user')
        .values(values)
        .onConflict((conflict) => conflict.doNothing()),
    )
  },

  update: (accountId, id, { role, roleIds, ...change }) =>
    set(db, accountId, id, {
      ...user.changes(change),
      ...(role !== undefined && roleColumns(role)),
      ...(roleIds !== undefined && { role_ids: roleIds.length === 0 ? null : JSON.stringify(roleIds) }),
      ...(change.locale !== undefined && { locale_chosen: 1 }),
    }),

  isTaken: (email) => isTaken(db, email),

  async setEmail(accountId, id, email) {
    if (await isTaken(db, email)) return false
    return set(db, accountId, id, { email: normal(email) })
  },

  async setInactive(accountId, id, since) {
    await set(db, accountId, id, { inactive_at: since ?? null })
  },

  async setPassword(accountId, id, passwordHash) {
    await set(db, accountId, id, { password_hash: passwordHash })
  },

  async setDefaultDevice(accountId, id, device) {
    await set(db, accountId, id, { default_device: device ?? null })
  },

  async clearDefaultDevice(accountId, device) {
    await db
      .updateTable('app_user')
      .set({ default_device: null })
      .where('account_id', '=', accountId)
      .where('default_device', '=', device)
      .execute()
  },

  disable: (accountId, id, at) => set(db, accountId, id, { disabled_at: at }),
})

const enabled = (db: Db) => db.selectFrom('app_user').selectAll().where('disabled_at', 'is', null)

const isTaken = async (db: Db, email: string): Promise<boolean> =>
  (await enabled(db).where('email', '=', normal(email)).executeTakeFirst()) !== undefined

const inOpenAccount = (db: Db) =>
  enabled(db)
    .where('inactive_at', 'is', null)
    .where('account_id', 'in', db.selectFrom('account').select('id').where('closed_at', 'is', null))

/** Administrators are marked by the flag: the previous version knows no roles. */
const roleColumns = (role: UserRole) => ({
  admin: flag(role === 'ADMIN'),
  role: role === 'BILLING' || role === 'DEVELOPER' ? role : null,
})

const normal = (email: string): string => email.trim().toLowerCase()

const set = async (db: Db, accountId: string, id: string, change: Updateable<Schema['app_user']>): Promise<boolean> => {
  return hasEffect(
    db
      .updateTable('app_user')
      .set({ created_at: (eb) => eb.ref('created_at'), ...change }) // an empty change still checks whether the user exists
      .where('account_id', '=', accountId)
      .where('ext', '=', id)
      .where('disabled_at', 'is', null),
  )
}

const toCredentials = (row: Selectable<Schema['app_user']>): Credentials => ({
  accountId: row.account_id,
  userId: row.ext,
  subject: row.subject,
  passwordHash: row.password_hash,
})

const toUser = (row: Selectable<Schema['app_user']>): User => ({
  ...user.fields(row),
  admin: row.admin === 1,
  role: row.admin === 1 ? 'ADMIN' : (row.role ?? 'USER'),
  roleIds: readRoleIds(row.role_ids),
  active: row.inactive_at === null,
})
