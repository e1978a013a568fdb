import type { Overflow, RoutingRule } from '@offhook/contract/v1/routing.ts'
import type { OfficeHours, Override, RoutingRules, Schedule, Schedules, TargetRules } from '#core/kernel/ports/store/line.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { asJson, hidden, record } from '../record.ts'

const schedule = record<Schema['schedule'], Schedule>()({
  week: asJson<OfficeHours['week']>(),
  days: asJson<OfficeHours['days']>(),
  override: asJson<Override>(),
  account_id: hidden,
})

export const schedules = (db: Db): Schedules => {
  const all = (accountId: string) => db.selectFrom('schedule').selectAll().where('account_id', '=', accountId)
  const one = (accountId: string, id: string) => db.updateTable('schedule').where('account_id', '=', accountId).where('id', '=', id)
  return {
    async list(accountId) {
      return schedule.all(all(accountId).orderBy('name').orderBy('id'))
    },

    async find(accountId, id) {
      return schedule.first(all(accountId).where('id', '=', id))
    },

    async insert(accountId, input) {
      const values = { account_id: accountId, ...schedule.columns(input) }
      await db.insertInto('schedule').values(values).execute()
    },

    async update(accountId, { id, name, timeZone, week, days, updatedAt }) {
      await one(accountId, id).set(schedule.columns({ name, timeZone, week, days, updatedAt })).execute()
    },

    async setOverride(accountId, id, override) {
      await one(accountId, id).set(schedule.columns({ override })).execute()
    },

    async remove(accountId, id) {
      await db.deleteFrom('schedule').where('account_id', '=', accountId).where('id', '=', id).execute()
    },

    async removeOf(accountId) {
      await db.deleteFrom('schedule').where('account_id', '=', accountId).execute()
    },
  }
}

const routing = record<Schema['routing'], TargetRules>()({
  rules: asJson<RoutingRule[]>(),
  overflow: asJson<Overflow[]>(),
  account_id: hidden,
})

export const routingRules = (db: Db): RoutingRules => {
  const ofAccount = (accountId: string) => db.selectFrom('routing').selectAll().where('account_id', '=', accountId)
  return {
    async list(accountId) {
      return routing.all(ofAccount(accountId).orderBy('target'))
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
      const found = await routing.first(ofAccount(accountId).where('target', '=', target))
      return found && { rules: found.rules, overflow: found.overflow }
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
  }
}
