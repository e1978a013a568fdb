import { sql, type RawBuilder, type Selectable, type SqlBool, type Updateable } from 'kysely'
import type { Account, Accounts, AppEvent, AppEvents, Feature, OutboundReview } from '#core/kernel/ports/store/account.ts'
import type { Locale } from '#core/kernel/translations/index.ts'
import { hotRow } from '#adapters/store/sqlite/hot-row.ts'
import { flag } from '#adapters/store/schema/columns.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { asFlag, asJson, asText, hidden, record } from '../record.ts'
import { hasEffect } from '../row-counts.ts'

/** Only for writing: calls read accounts all the time. */
const account = record<Schema['account'], Omit<Account, 'tacsAccepted'>>()({
  verified: asFlag,
  locale: asText<Locale>(),
  welcomeEnabled: asFlag,
  outboundEnabled: asFlag,
  secondFactor: asFlag,
  verification_code_hash: hidden,
  tacs_accepted_at: hidden,
  closed_at: hidden,
})
const review = record<Schema['outbound_review'], OutboundReview>()({ enabled: asFlag, id: hidden, account_id: hidden })

export const accounts = (db: Db, dialect: Dialect): Accounts => ({
  find: finder(db),

  async list({ after, limit, offset = 0, search = '', ids }) {
    const page = open(db).where('id', '>', after).orderBy('id').limit(limit).offset(offset)
    const among = ids ? page.where('id', 'in', ids) : page
    const found = search === '' ? among : among.where(named(search))
    return (await found.execute()).map(toAccount)
  },

  async lock(accountId) {
    // SQLite allows only one writing transaction at a time anyway.
    if (dialect === 'postgres') await db.selectFrom('account').select('id').where('id', '=', accountId).forNoKeyUpdate().execute()
  },

  async insert({ verificationCodeHash, ...known }) {
    const values = {
      ...account.columns({ ...known, verified: false, outboundEnabled: false }),
      verification_code_hash: verificationCodeHash ?? null,
    }
    return hasEffect(
      db
        .insertInto('account')
        .values(values)
        .onConflict((conflict) => conflict.column('id').doNothing()),
    )
  },

  async setSecondFactor(accountId, demanded) {
    await change(db, accountId, { second_factor: flag(demanded) })
  },

  update: (accountId, input) => change(db, accountId, account.changes(input)),

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
      .values({ account_id: accountId, ...review.columns({ enabled, reviewer, reason, at }) })
      .execute()
    await change(db, accountId, { outbound_enabled: flag(enabled) })
  },

  async outboundReviews(accountId) {
    return review.all(db.selectFrom('outbound_review').selectAll().where('account_id', '=', accountId).orderBy('id'))
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

const appEvent = record<Schema['app_event'], AppEvent>()({ payload: asJson<AppEvent['payload']>(), account_id: hidden, created_at: hidden })

export const appEvents = (db: Db): AppEvents => ({
  async list(accountId) {
    return appEvent.all(db.selectFrom('app_event').selectAll().where('account_id', '=', accountId).orderBy('id'))
  },

  async insert(accountId, { type, name, payload }, at) {
    const values = { account_id: accountId, ...appEvent.columns({ type, name, payload }), created_at: at }
    await db.insertInto('app_event').values(values).execute()
  },

  async remove(accountId, id) {
    return hasEffect(db.deleteFrom('app_event').where('account_id', '=', accountId).where('id', '=', id))
  },
})
