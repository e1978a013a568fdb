import type { Scenario, ScenarioReport } from '@offhook/contract/assistant/scenario.ts'
import type { Scenarios, StoredScenario, StoredTestRun, TestRuns } from '#core/kernel/ports/store/session.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { asFlag, asJson, hidden, record } from '../record.ts'
import { countRows, hasEffect } from '../row-counts.ts'

const stored = record<Pick<Schema['scenario'], 'content' | 'required' | 'updated_at'>, StoredScenario>()({
  content: 'scenario',
  scenario: asJson<Scenario>(),
  required: asFlag,
})
const testRun = record<Schema['test_run'], StoredTestRun>()({
  choice: { write: String, read: (text: string) => (text === 'draft' ? 'draft' : Number(text)) },
  account_id: hidden,
})

export const scenarios = (db: Db): Scenarios => ({
  async names(accountId, flowId) {
    const rows = await db
      .selectFrom('scenario')
      .select('name')
      .where('account_id', '=', accountId)
      .where('flow_id', '=', flowId)
      .orderBy('name')
      .execute()
    return rows.map(({ name }) => name)
  },

  async find(accountId, flowId, name) {
    return stored.first(kept(db, accountId, flowId).where('name', '=', name))
  },

  async list(accountId, flowId, { after = '', limit }) {
    return stored.all(kept(db, accountId, flowId).where('name', '>', after).orderBy('name').limit(limit))
  },

  async put(accountId, flowId, { scenario, required, updatedAt }) {
    const values = stored.columns({ scenario, required, updatedAt })
    await db
      .insertInto('scenario')
      .values({ flow_id: flowId, name: scenario.name, account_id: accountId, ...values })
      .onConflict((conflict) => conflict.columns(['flow_id', 'name']).doUpdateSet(values))
      .execute()
  },

  async remove(accountId, flowId, name) {
    return hasEffect(db.deleteFrom('scenario').where('account_id', '=', accountId).where('flow_id', '=', flowId).where('name', '=', name))
  },

  async removeOf(accountId) {
    await db.deleteFrom('scenario').where('account_id', '=', accountId).execute()
  },
})

const kept = (db: Db, accountId: string, flowId: string) =>
  db.selectFrom('scenario').select(['content', 'required', 'updated_at']).where('account_id', '=', accountId).where('flow_id', '=', flowId)

export const testRuns = (db: Db): TestRuns => ({
  ...runs(db),

  async reports(accountId, id, { from, count }) {
    const rows = await db
      .selectFrom('test_report')
      .innerJoin('test_run', 'test_run.id', 'test_report.run_id')
      .select('test_report.report')
      .where('test_run.account_id', '=', accountId)
      .where('test_run.id', '=', id)
      .where('test_report.nth', '>=', from)
      .where('test_report.nth', '<', from + count)
      .orderBy('test_report.nth')
      .execute()
    return rows.map(({ report }) => JSON.parse(report) as ScenarioReport)
  },

  async addReport(accountId, id, nth, report) {
    // Skipped if the run was deleted with its flow in the meantime.
    const run = await db.selectFrom('test_run').select('id').where('account_id', '=', accountId).where('id', '=', id).executeTakeFirst()
    if (run)
      await db
        .insertInto('test_report')
        .values({ run_id: id, nth, report: JSON.stringify(report) })
        .execute()
  },

  async removeBefore(before) {
    await db.deleteFrom('test_run').where('started_at', '<', before).execute()
  },

  async removeOfBefore(accountId, before) {
    await db.deleteFrom('test_run').where('account_id', '=', accountId).where('started_at', '<', before).execute()
  },

  async removeOf(accountId) {
    await db.deleteFrom('test_run').where('account_id', '=', accountId).execute()
  },
})

const runs = (db: Db): Pick<TestRuns, 'insert' | 'find' | 'list' | 'countRunning' | 'setState'> => {
  const ofFlow = (accountId: string, flowId: string) =>
    db.selectFrom('test_run').selectAll().where('account_id', '=', accountId).where('flow_id', '=', flowId)
  return {
    async insert(accountId, input) {
      const values = { account_id: accountId, ...testRun.columns(input) }
      await db.insertInto('test_run').values(values).execute()
    },

    async find(accountId, flowId, id) {
      return testRun.first(ofFlow(accountId, flowId).where('id', '=', id))
    },

    async list(accountId, flowId, limit) {
      return testRun.all(ofFlow(accountId, flowId).orderBy('started_at', 'desc').orderBy('id').limit(limit))
    },

    async countRunning(accountId, since) {
      return countRows(
        db.selectFrom('test_run').where('account_id', '=', accountId).where('state', '=', 'running').where('started_at', '>=', since),
      )
    },

    async setState(accountId, id, state) {
      return hasEffect(db.updateTable('test_run').set({ state }).where('account_id', '=', accountId).where('id', '=', id))
    },
  }
}
