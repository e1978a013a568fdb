import { sql } from 'kysely'
import type { Assistants, AssistantVersion, Rollout, StoredAssistant } from '#core/kernel/ports/store/assistant.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { hidden, record } from '../record.ts'

export const assistants = (db: Db): Assistants => ({
  ...drafts(db),
  ...versions(db),
  ...rollouts(db),

  async areUsed() {
    return (await db.selectFrom('assistant_rollout').select('flow_id').limit(1).executeTakeFirst()) !== undefined
  },

  async addTokens(accountId, flowId, day, tokens) {
    const { tokens: sum } = await db
      .insertInto('assistant_day')
      .values({ flow_id: flowId, day, account_id: accountId, tokens })
      .onConflict((conflict) => conflict.columns(['flow_id', 'day']).doUpdateSet({ tokens: sql`assistant_day.tokens + excluded.tokens` }))
      .returning('tokens')
      .executeTakeFirstOrThrow()
    return sum
  },

  async remove(accountId, flowId) {
    for (const table of ['assistant_draft', 'assistant_rollout'] as const)
      await db.deleteFrom(table).where('account_id', '=', accountId).where('flow_id', '=', flowId).execute()
  },

  async removeOf(accountId) {
    for (const table of ['assistant_draft', 'assistant_version', 'assistant_rollout', 'assistant_day'] as const)
      await db.deleteFrom(table).where('account_id', '=', accountId).execute()
  },
})

const drafts = (db: Db): Pick<Assistants, 'draft' | 'putDraft'> => ({
  async draft(accountId, flowId) {
    const row = await db
      .selectFrom('assistant_draft')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('flow_id', '=', flowId)
      .executeTakeFirst()
    return row && { settings: JSON.parse(row.settings) as StoredAssistant, revision: row.revision, changedAt: row.changed_at }
  },

  async putDraft(accountId, flowId, { settings, revision, changedAt }) {
    const values = { settings: asText(settings), revision, changed_at: changedAt }
    await db
      .insertInto('assistant_draft')
      .values({ flow_id: flowId, account_id: accountId, ...values })
      .onConflict((conflict) => conflict.column('flow_id').doUpdateSet(values))
      .execute()
  },
})

const version = record<Pick<Schema['assistant_version'], (typeof shown)[number]>, AssistantVersion>()({})

const shown = ['version', 'created_at', 'created_by', 'note', 'calls'] as const

const versions = (db: Db): Pick<Assistants, 'versions' | 'version' | 'versionOf' | 'insertVersion' | 'countCall'> => {
  const ofFlow = (accountId: string, flowId: string) =>
    db
      .selectFrom('assistant_version')
      .select(shown)
      .where('account_id', '=', accountId)
      .where('flow_id', '=', flowId)
      .orderBy('version', 'desc')
  return {
    async versions(accountId, flowId) {
      return version.all(ofFlow(accountId, flowId))
    },

    async version(accountId, flowId, number) {
      const row = await ofFlow(accountId, flowId).select('settings').where('version', '=', number).executeTakeFirst()
      if (!row) return undefined
      const { settings, ...listed } = row
      return { ...version.fields(listed), settings: JSON.parse(settings) as StoredAssistant }
    },

    async versionOf(accountId, flowId, settings) {
      return (await ofFlow(accountId, flowId).where('settings', '=', asText(settings)).executeTakeFirst())?.version
    },

    async insertVersion(accountId, flowId, { version, createdAt, createdBy, note }, settings) {
      await db
        .insertInto('assistant_version')
        .values({
          flow_id: flowId,
          version,
          account_id: accountId,
          settings: asText(settings),
          created_at: createdAt,
          created_by: createdBy,
          note: note ?? null,
        })
        .execute()
    },

    async countCall(accountId, flowId, version) {
      await db
        .updateTable('assistant_version')
        .set({ calls: sql`calls + 1` })
        .where('account_id', '=', accountId)
        .where('flow_id', '=', flowId)
        .where('version', '=', version)
        .execute()
    },
  }
}

const rollout = record<Schema['assistant_rollout'], Rollout>()({ chosen_by: 'by', flow_id: hidden, account_id: hidden })

const rollouts = (db: Db): Pick<Assistants, 'rollout' | 'rolledOut' | 'putRollout'> => ({
  async rollout(accountId, flowId) {
    return rollout.first(db.selectFrom('assistant_rollout').selectAll().where('account_id', '=', accountId).where('flow_id', '=', flowId))
  },

  async rolledOut(accountId) {
    const rows = await db.selectFrom('assistant_rollout').select('flow_id').where('account_id', '=', accountId).execute()
    return rows.map(({ flow_id: flowId }) => flowId)
  },

  async putRollout(accountId, flowId, { stable, candidate, percent, by, previous }) {
    const values = rollout.columns({ stable, candidate, percent, by, previous })
    await db
      .insertInto('assistant_rollout')
      .values({ flow_id: flowId, account_id: accountId, ...values })
      .onConflict((conflict) => conflict.column('flow_id').doUpdateSet(values))
      .execute()
  },
})

/** The same settings have the same text, in any order. */
const asText = (settings: StoredAssistant): string =>
  JSON.stringify(settings, (_key, value: unknown) => (isRecord(value) ? sorted(value) : value))

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

const sorted = (record: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).toSorted(([one], [other]) => (one < other ? -1 : 1)))
