import { sql, type RawBuilder, type Selectable, type SqlBool, type Updateable } from 'kysely'
import type { Account, Accounts, Feature, AppEvents } from '#core/kernel/ports/store/account.ts'
import type { Locale } from '#core/kernel/translations/index.ts'
import { hotRow } from '#adapters/store/sqlite/hot-row.ts'
import { flag } from '#adapters/store/schema/columns.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { hasEffect } from '../row-counts.ts'

export const accounts = (db: Db, dialect: Dialect): Accounts => ({
  find: finder(db),

  async list({ after, limit, search = '', ids }) {
    const page = open(db).where('id', '>', after).orderBy('id').limit(limit)
    const among = ids ? page.where('id', 'in', ids) : page
    const found = search === '' ? among : among.where(named(search))
    return (await found.execute()).map(toAccount)
  },

  async lock(accountId) {
    // SQLite allows only one writing transaction at a time anyway.
    if (dialect === 'postgres') await db.selectFrom('account').select('id').where('id', '=', accountId).forNoKeyUpdate().execute()
  },

  async insert(account) {
    return hasEffect(
      db
        .insertInto('account')
        .values({
          id: account.id,
          company: account.company,
          main_product_type: account.mainProductType,
          logo_url: account.logoUrl,
          verified: 0,
          verification_code_hash: account.verificationCodeHash ?? null,
          domain: account.domain,
          locale: account.locale,
          country: account.country,
          tariff_id: account.tariffId ?? null,
          tacs_accepted_at: null,
          welcome_enabled: flag(account.welcomeEnabled),
          outbound_enabled: 0,
          created_at: account.createdAt,
          closed_at: null,
        })
        .onConflict((conflict) => conflict.column('id').doNothing()),
    )
  },

  async setSecondFactor(accountId, demanded) {
    await change(db, accountId, { second_factor: flag(demanded) })
  },

  async update(accountId, { company, mainProductType, logoUrl, locale, tariffId, welcomeEnabled }) {
    const set: Updateable<Schema['account']> = {
      ...(company !== undefined && { company }),
      ...(mainProductType !== undefined && { main_product_type: mainProductType }),
      ...(logoUrl !== undefined && { logo_url: logoUrl }),
      ...(locale !== undefined && { locale }),
      ...(tariffId !== undefined && { tariff_id: tariffId }),
      ...(welcomeEnabled !== undefined && { welcome_enabled: flag(welcomeEnabled) }),
    }
    return change(db, accountId, set)
  },

  async verify(accountId, codeHash) {
    return hasEffect(
      db
        .updateTable('account')
        .set({ verified: 1, verification_code_hash: null })
        .where('id', '=', accountId)
        .where('verification_code_hash', '=', codeHash),
    )
  },

  async setVerificationCode(accountId, codeHash) {
    await change(db, accountId, { verification_code_hash: codeHash })
  },

  async setTacsAccepted(accountId, at) {
    await change(db, accountId, { tacs_accepted_at: at ?? null })
  },

  close: (accountId, at) => change(db, accountId, { closed_at: at }),

  async features(accountId) {
    const rows = await db.selectFrom('account_feature').select('feature').where('account_id', '=', accountId).orderBy('feature').execute()
    return rows.map((row) => row.feature as Feature)
  },

  async bookFeature(accountId, feature, at) {
    await db
      .insertInto('account_feature')
      .values({ account_id: accountId, feature, booked_at: at })
      .onConflict((conflict) => conflict.columns(['account_id', 'feature']).doNothing())
      .execute()
  },

  async cancelFeature(accountId, feature) {
    await db.deleteFrom('account_feature').where('account_id', '=', accountId).where('feature', '=', feature).execute()
  },

  async reviewOutbound(accountId, { enabled, reviewer, reason, at }) {
    await db
      .insertInto('outbound_review')
      .values({ account_id: accountId, enabled: flag(enabled), reviewer, reason, at })
      .execute()
    await change(db, accountId, { outbound_enabled: flag(enabled) })
  },

  async outboundReviews(accountId) {
    const rows = await db.selectFrom('outbound_review').selectAll().where('account_id', '=', accountId).orderBy('id').execute()
    return rows.map((row) => ({ enabled: row.enabled === 1, reviewer: row.reviewer, reason: row.reason, at: row.at }))
  },
})

const finder = (db: Db): Accounts['find'] => {
  const byId = hotRow(db, (id: string) => open(db).where('id', '=', id))
  return async (accountId) => {
    const row = await byId(accountId)
    return row && toAccount(row)
  }
}

/** SQLite lower-cases ASCII only: other letters match any single character. */
const named = (search: string): RawBuilder<SqlBool> => {
  const sought = search.replaceAll(/[\\%_]/g, String.raw`\$&`).replaceAll(/[^\p{ASCII}]/gu, '_')
  return sql`(lower(company) like lower(${`%${sought}%`}) escape '\\' or id like ${`${sought}%`} escape '\\')`
}

const open = (db: Db) => db.selectFrom('account').selectAll().where('closed_at', 'is', null)

const change = async (db: Db, accountId: string, set: Updateable<Schema['account']>): Promise<boolean> => {
  if (Object.keys(set).length === 0) return (await open(db).where('id', '=', accountId).executeTakeFirst()) !== undefined
  return hasEffect(db.updateTable('account').set(set).where('id', '=', accountId).where('closed_at', 'is', null))
}

const toAccount = (row: Selectable<Schema['account']>): Account => ({
  id: row.id,
  company: row.company,
  mainProductType: row.main_product_type,
  logoUrl: row.logo_url,
  verified: row.verified === 1,
  domain: row.domain,
  locale: row.locale as Locale,
  country: row.country,
  tariffId: row.tariff_id ?? undefined,
  tacsAccepted: row.tacs_accepted_at !== null,
  welcomeEnabled: row.welcome_enabled === 1,
  outboundEnabled: row.outbound_enabled === 1,
  secondFactor: row.second_factor === 1,
  createdAt: row.created_at,
})

export const appEvents = (db: Db): AppEvents => ({
  async list(accountId) {
    const rows = await db.selectFrom('app_event').selectAll().where('account_id', '=', accountId).orderBy('id').execute()
    return rows.map((row) => ({ id: row.id, type: row.type, name: row.name, payload: JSON.parse(row.payload) as Record<string, string> }))
  },

  async insert(accountId, { type, name, payload }, at) {
    await db
      .insertInto('app_event')
      .values({ account_id: accountId, type, name, payload: JSON.stringify(payload), created_at: at })
      .execute()
  },

  async remove(accountId, id) {
    return hasEffect(db.deleteFrom('app_event').where('account_id', '=', accountId).where('id', '=', id))
  },
})
