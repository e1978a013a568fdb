import type { Selectable, Updateable } from 'kysely'
import type { UserRole } from '@offhook/contract/roles.ts'
import type { Credentials, User, Users } from '#core/kernel/ports/store/account.ts'
import type { Locale } from '#core/kernel/translations/index.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import { flag } from '#adapters/store/schema/columns.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { hasEffect } from '../row-counts.ts'

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

  async insert(accountId, user) {
    return hasEffect(
      db
        .insertInto('app_user')
        .values({
          account_id: accountId,
          ext: user.id,
          subject: user.subject,
          firstname: user.firstname,
          lastname: user.lastname,
          email: normal(user.email),
          password_hash: user.passwordHash,
          ...roleColumns(user.role),
          default_device: user.defaultDevice ?? null,
          busy_on_busy: flag(user.busyOnBusy),
          address_id: user.addressId ?? null,
          timezone: user.timezone,
          locale: user.locale,
          created_at: user.createdAt,
          disabled_at: null,
          inactive_at: null,
          locale_chosen: 0,
        })
        .onConflict((conflict) => conflict.doNothing()),
    )
  },

  update: (accountId, id, change) =>
    set(db, accountId, id, {
      ...(change.firstname !== undefined && { firstname: change.firstname }),
      ...(change.lastname !== undefined && { lastname: change.lastname }),
      ...(change.role !== undefined && roleColumns(change.role)),
      ...(change.busyOnBusy !== undefined && { busy_on_busy: flag(change.busyOnBusy) }),
      ...(change.addressId !== undefined && { address_id: change.addressId }),
      ...(change.timezone !== undefined && { timezone: change.timezone }),
      ...(change.locale !== undefined && { locale: change.locale, locale_chosen: 1 }),
      ...(change.defaultDevice !== undefined && { default_device: change.defaultDevice }),
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
  id: row.ext,
  subject: row.subject,
  firstname: row.firstname,
  lastname: row.lastname,
  email: row.email,
  admin: row.admin === 1,
  role: row.admin === 1 ? 'ADMIN' : (row.role ?? 'USER'),
  active: row.inactive_at === null,
  defaultDevice: row.default_device ?? undefined,
  busyOnBusy: row.busy_on_busy === 1,
  addressId: row.address_id ?? undefined,
  timezone: row.timezone,
  locale: row.locale as Locale,
  localeChosen: row.locale_chosen === 1,
})
