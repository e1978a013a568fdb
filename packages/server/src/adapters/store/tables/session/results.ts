import type { Variables } from '@offhook/contract/assistant/variables.ts'
import { sessionIdsOf, type SessionEndReason } from '@offhook/contract/assistant/session.ts'
import { sql, type Selectable } from 'kysely'
import type {
  StartedResult,
  CountedResult,
  Results,
  StoredResult,
  TakenMessage,
  PublishedResult,
} from '#core/kernel/ports/store/session.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import { hotInsert, hotRow } from '#adapters/store/sqlite/hot-row.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'

type Row = Selectable<Schema['call_result']>

export const results = (db: Db, dialect: Dialect): Results => {
  const insertRow = hotInsert(db, 'call_result')
  const all = () => db.selectFrom('call_result').selectAll()
  const change = (callId: string) => db.updateTable('call_result').where('call_id', '=', callId)
  const lockRow = hotRow(db, (callId: string) => {
    const query = all().where('call_id', '=', callId)
    return dialect === 'postgres' ? query.forUpdate() : query
  })
  const removeThese = async (some: ReturnType<typeof all>): Promise<number> => {
    const ids = some.clearSelect().select('call_id')
    return Number((await db.deleteFrom('call_result').where('call_id', 'in', ids).executeTakeFirst()).numDeletedRows)
  }
  return {
    async begin(result) {
      await insertRow(startedRow(result))
    },

    async find(accountId, flowId, callId) {
      const query = all().where('call_id', 'in', sessionIdsOf(callId)).where('account_id', '=', accountId).where('flow_id', '=', flowId)
      const row = await query.orderBy('started_at', 'desc').executeTakeFirst()
      return row && toResult(row)
    },

    async lock(callId) {
      const row = await lockRow(callId)
      return row && toResult(row)
    },

    list: async (accountId, flowId, { from, to, outcome, version, words = [], before, limit, offset = 0 }) => {
      let query = all().where('flow_id', '=', flowId).where('account_id', '=', accountId)
      if (from !== undefined) query = query.where('started_at', '>=', from)
      if (to !== undefined) query = query.where('started_at', '<', to)
      if (outcome !== undefined) query = query.where('outcome', '=', outcome)
      if (version !== undefined) query = query.where('version', '=', version)
      for (const word of words) query = query.where(sql<boolean>`search like ${`%${escaped(word)}%`} escape '\\'`)
      if (before) query = query.where(sql<boolean>`(started_at, call_id) < (${before.startedAt}, ${before.callId})`)
      const rows = await query.orderBy('started_at', 'desc').orderBy('call_id', 'desc').limit(limit).offset(offset).execute()
      return rows.map(toResult)
    },

    async end(result, counted) {
      const row = countedRow(counted)
      const { webhook_url, told: notified } = await db
        .insertInto('call_result')
        .values({ ...startedRow(result), ...row })
        .onConflict((conflict) => conflict.column('call_id').doUpdateSet(row))
        .returning(['webhook_url', 'told'])
        .executeTakeFirstOrThrow()
      return { webhookUrl: webhook_url ?? undefined, isTold: notified !== null }
    },

    async spend(callId, { prompt, completion, cost }) {
      const added = await change(callId)
        .set((eb) => ({
          prompt_tokens: eb('prompt_tokens', '+', prompt),
          completion_tokens: eb('completion_tokens', '+', completion),
        }))
        .executeTakeFirst()
      if (cost)
        await change(callId)
          .set((eb) => ({ cost_micros: eb('cost_micros', '+', cost.micros), currency: cost.currency }))
          .where((eb) => eb.or([eb('currency', 'is', null), eb('currency', '=', cost.currency)]))
          .execute()
      return added.numUpdatedRows > 0n
    },

    async tell(callId, { messages, told: notified, search }) {
      const { outcome = null } = notified ?? {}
      const row = { messages: JSON.stringify(messages), told: notified ? JSON.stringify(notified) : null, outcome, search }
      await change(callId).set(row).execute()
    },

    async setDelivery(callId, delivery, eventId) {
      await change(callId)
        .set({ delivery, ...(eventId !== undefined && { event_id: eventId }) })
        .execute()
    },

    async removeOfFlow(accountId, flowId) {
      await db.deleteFrom('call_result').where('flow_id', '=', flowId).where('account_id', '=', accountId).execute()
    },

    async removeOf(accountId) {
      await db.deleteFrom('call_result').where('account_id', '=', accountId).execute()
    },

    removeBefore: (at, limit) => removeThese(all().where('started_at', '<', at).limit(limit)),

    removeOfBefore: (accountId, at, limit) =>
      removeThese(all().where('account_id', '=', accountId).where('started_at', '<', at).orderBy('started_at').limit(limit)),
  }
}

const escaped = (word: string): string => word.replace(/[\\%_]/g, '\\$&')

const known = <K extends string, V>(name: K, value: V | null): Partial<Record<K, V>> =>
  value === null ? {} : ({ [name]: value } as Partial<Record<K, V>>)

const startedRow = ({ callId, accountId, flowId, version, webhookUrl, startedAt }: StartedResult) => ({
  call_id: callId,
  account_id: accountId,
  flow_id: flowId,
  version: version ?? null,
  webhook_url: webhookUrl ?? null,
  started_at: startedAt,
})

const countedRow = ({ durationMs, endReason, turns, interruptions, transferredTo, firstSoundMs, ...of }: CountedResult) => ({
  duration_ms: durationMs,
  end_reason: endReason,
  turns,
  interruptions,
  transferred_to: transferredTo ?? null,
  first_sound_ms: firstSoundMs ?? null,
  variables: of.variables ? JSON.stringify(of.variables) : null,
  correlation_id: of.correlationId ?? null,
})

const toResult = (row: Row): StoredResult => ({
  callId: row.call_id,
  accountId: row.account_id,
  flowId: row.flow_id,
  ...known('version', row.version),
  ...known('webhookUrl', row.webhook_url),
  startedAt: row.started_at,
  ...known('durationMs', row.duration_ms),
  ...known('endReason', row.end_reason as SessionEndReason | null),
  turns: row.turns,
  interruptions: row.interruptions,
  ...known('transferredTo', row.transferred_to),
  ...known('firstSoundMs', row.first_sound_ms),
  ...known('variables', row.variables === null ? null : (JSON.parse(row.variables) as Variables)),
  ...known('correlationId', row.correlation_id),
  messages: JSON.parse(row.messages) as TakenMessage[],
  promptTokens: row.prompt_tokens,
  completionTokens: row.completion_tokens,
  costMicros: row.cost_micros,
  ...known('currency', row.currency),
  ...known('told', row.told === null ? null : (JSON.parse(row.told) as PublishedResult)),
  delivery: row.delivery,
  ...known('eventId', row.event_id),
})
