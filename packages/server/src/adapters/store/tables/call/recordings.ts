import type { Recordings, StoredRecording, RecordingRules } from '#core/kernel/ports/store/recording.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { flag } from '#adapters/store/schema/columns.ts'
import { asFlag, record } from '../record.ts'
import { hasEffect, sumOf } from '../row-counts.ts'

const stored = record<Schema['recording'], StoredRecording>()({ truncated: asFlag, awaited: asFlag })

export const recordings = (db: Db): Recordings => {
  const ofAccount = (accountId: string) => db.selectFrom('recording').selectAll().where('account_id', '=', accountId)
  return {
    async insert(recording) {
      await db
        .insertInto('recording')
        .values(stored.columns({ awaited: false, ...recording }))
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    },

    async find(accountId, id) {
      return stored.first(ofAccount(accountId).where('id', '=', id))
    },

    async fill(accountId, id, { durationMs, bytes, awaited }) {
      await db
        .updateTable('recording')
        .set({ duration_ms: durationMs, bytes, awaited: flag(awaited) })
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .where((row) => row.or([row('bytes', '=', 0), row('awaited', '=', 1)]))
        .execute()
    },

    async listAwaited(after, limit) {
      return stored.all(db.selectFrom('recording').selectAll().where('awaited', '=', 1).where('id', '>', after).orderBy('id').limit(limit))
    },

    async listParts(accountId, id) {
      const parts = ofAccount(accountId).where((row) => row.or([row('id', '=', id), row('part_of', '=', id)]))
      return stored.all(parts.orderBy('created_at').orderBy('id'))
    },

    async listByCall(accountId, callId) {
      return stored.all(ofAccount(accountId).where('call_id', '=', callId).orderBy('created_at').orderBy('id'))
    },

    async list(accountId, limit) {
      return stored.all(ofAccount(accountId).orderBy('id').limit(limit))
    },

    async listBefore(at, limit) {
      return stored.all(db.selectFrom('recording').selectAll().where('created_at', '<', at).orderBy('created_at').limit(limit))
    },

    async listOfBefore(accountId, kind, at, limit) {
      const old = ofAccount(accountId).where('kind', '=', kind).where('created_at', '<', at)
      return stored.all(old.orderBy('created_at').limit(limit))
    },

    async totalBytes(accountId) {
      return sumOf(db.selectFrom('recording').where('account_id', '=', accountId), 'bytes')
    },

    async remove(accountId, id) {
      return hasEffect(db.deleteFrom('recording').where('account_id', '=', accountId).where('id', '=', id))
    },
  }
}

/** In place of a number: the account as a whole. */
const account = ''

export const recordingRules = (db: Db): RecordingRules => {
  const find: RecordingRules['find'] = async (accountId, numberId = account) => {
    const rule = db.selectFrom('recording_rule').select('rule').where('account_id', '=', accountId).where('number_id', '=', numberId)
    return (await rule.executeTakeFirst())?.rule
  }
  /** A number that moved to another account does not take its rule along. */
  const ofNumbers = (accountId: string) =>
    db
      .selectFrom('recording_rule as own')
      .innerJoin('phone_number as number', (join) =>
        join.onRef('number.id', '=', 'own.number_id').onRef('number.account_id', '=', 'own.account_id'),
      )
      .where('own.account_id', '=', accountId)
  return {
    find,

    async inForce(accountId, e164) {
      const ofNumber =
        e164 === undefined ? undefined : await ofNumbers(accountId).select('own.rule').where('number.e164', '=', e164).executeTakeFirst()
      return ofNumber?.rule ?? (await find(accountId)) ?? 'none'
    },

    async listNumbers(accountId) {
      const rows = await ofNumbers(accountId).select(['own.number_id', 'number.e164', 'own.rule']).orderBy('number.e164').execute()
      return rows.map((row) => ({ numberId: row.number_id, number: row.e164 ?? '', rule: row.rule }))
    },

    async set(accountId, rule, numberId = account) {
      await db.deleteFrom('recording_rule').where('account_id', '=', accountId).where('number_id', '=', numberId).execute()
      if (rule) await db.insertInto('recording_rule').values({ account_id: accountId, number_id: numberId, rule }).execute()
    },

    async removeOf(accountId) {
      await db.deleteFrom('recording_rule').where('account_id', '=', accountId).execute()
    },
  }
}
