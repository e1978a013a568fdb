import type { Overflow, RoutingRule } from '@offhook/contract/v1/routing.ts'
import type { Selectable } from 'kysely'
import type { OfficeHours, Override, RoutingRules, Schedule, Schedules } from '#core/kernel/ports/store/line.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { asJson, hidden, record } from '../record.ts'

const toSchedule = record<Schema['schedule'], Schedule>()({
  week: asJson<OfficeHours['week']>(),
  days: asJson<OfficeHours['days']>(),
  override: asJson<Override>(),
  account_id: hidden,
}).fields

export const schedules = (db: Db): Schedules => {
  const one = (accountId: string, id: string) => db.updateTable('schedule').where('account_id', '=', accountId).where('id', '=', id)
  return {
    async list(accountId) {
      const rows = await db.selectFrom('schedule').selectAll().where('account_id', '=', accountId).orderBy('name').orderBy('id').execute()
      return rows.map(toSchedule)
    },

    async find(accountId, id) {
      const row = await db.selectFrom('schedule').selectAll().where('account_id', '=', accountId).where('id', '=', id).executeTakeFirst()
      return row && toSchedule(row)
    },

    async insert(accountId, { id, override, ...rest }) {
      const values = { id, account_id: accountId, override: override ? JSON.stringify(override) : null, ...columns(rest) }
      await db.insertInto('schedule').values(values).execute()
    },

    async update(accountId, { id, ...rest }) {
      await one(accountId, id).set(columns(rest)).execute()
    },

    async setOverride(accountId, id, override) {
      await one(accountId, id)
        .set({ override: override ? JSON.stringify(override) : null })
        .execute()
    },

    async remove(accountId, id) {
      await db.deleteFrom('schedule').where('account_id', '=', accountId).where('id', '=', id).execute()
    },

    async removeOf(accountId) {
      await db.deleteFrom('schedule').where('account_id', '=', accountId).execute()
    },
  }
}

const columns = ({ name, timeZone, week, days, updatedAt }: Omit<Schedule, 'id' | 'override'>) => ({
  name,
  time_zone: timeZone,
  week: JSON.stringify(week),
  days: JSON.stringify(days),
  updated_at: updatedAt,
})

export const routingRules = (db: Db): RoutingRules => ({
  async list(accountId) {
    const rows = await db.selectFrom('routing').selectAll().where('account_id', '=', accountId).orderBy('target').execute()
    return rows.map((row) => ({ target: row.target, ...toRules(row) }))
  },

  async listTargets(accountId) {
    const rows = await db.selectFrom('routing').select('target').where('account_id', '=', accountId).execute()
    return rows.map(({ target }) => target)
  },

  async listLeadingTo(accountId, to) {
    const rules = await routingRules(db).list(accountId)
    const leading = rules.filter(
      ({ target, rules: ruled, overflow }) => target !== to && [...ruled, ...overflow].some((one) => one.to === to),
    )
    return leading.map(({ target }) => target)
  },

  async find(accountId, target) {
    const row = await db
      .selectFrom('routing')
      .select(['rules', 'overflow'])
      .where('account_id', '=', accountId)
      .where('target', '=', target)
      .executeTakeFirst()
    return row && toRules(row)
  },

  async put(accountId, target, { rules, overflow }) {
    const values = { rules: JSON.stringify(rules), overflow: JSON.stringify(overflow) }
    await db
      .insertInto('routing')
      .values({ account_id: accountId, target, ...values })
      .onConflict((conflict) => conflict.columns(['account_id', 'target']).doUpdateSet(values))
      .execute()
  },

  async remove(accountId, target) {
    await db.deleteFrom('routing').where('account_id', '=', accountId).where('target', '=', target).execute()
  },

  async removeOf(accountId) {
    await db.deleteFrom('routing').where('account_id', '=', accountId).execute()
  },
})

const toRules = (row: Pick<Selectable<Schema['routing']>, 'rules' | 'overflow'>) => ({
  rules: JSON.parse(row.rules) as RoutingRule[],
  overflow: JSON.parse(row.overflow) as Overflow[],
})
