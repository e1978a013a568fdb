import type { Selectable } from 'kysely'
import { retentionKinds, type RetentionKind } from '@offhook/contract/v1/settings/retention.ts'
import type {
  DataExports,
  ErasureRequests,
  RequestPage,
  StoredErasure,
  StoredExport,
  Retentions,
} from '#core/kernel/ports/store/account.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { hidden, record } from '../record.ts'
import { countRows, hasEffect } from '../row-counts.ts'

const dataExport = record<Schema['data_export'], Omit<StoredExport, 'archive'>>()({ bytes: hidden, row_count: hidden, file_count: hidden })

const toExport = (row: Selectable<Schema['data_export']>): StoredExport => ({
  ...dataExport.fields(row),
  archive: row.state === 'READY' ? { bytes: row.bytes ?? 0, rows: row.row_count ?? 0, files: row.file_count ?? 0 } : undefined,
})

export const dataExports = (db: Db): DataExports => {
  const one = (accountId: string, id: string) =>
    db.selectFrom('data_export').selectAll().where('account_id', '=', accountId).where('id', '=', id)
  return {
    async insert(accountId, request) {
      await db
        .insertInto('data_export')
        .values(dataExport.columns({ accountId, ...request }))
        .execute()
    },

    async find(accountId, id) {
      const row = await one(accountId, id).executeTakeFirst()
      return row && toExport(row)
    },

    async findAnywhere(id) {
      const row = await db.selectFrom('data_export').selectAll().where('id', '=', id).executeTakeFirst()
      return row && toExport(row)
    },

    page: async (page) =>
      (await pageOf(db, 'data_export', page).execute()).map((row) => toExport(row as Selectable<Schema['data_export']>)),

    async count(accountId, requestedBy) {
      return countRows(
        db
          .selectFrom('data_export')
          .where('account_id', '=', accountId)
          .$if(requestedBy !== undefined, (query) => query.where('requested_by', '=', requestedBy ?? '')),
      )
    },

    async isBuilding(accountId) {
      const query = db.selectFrom('data_export').select('id').where('account_id', '=', accountId).where('state', '=', 'BUILDING')
      return (await query.executeTakeFirst()) !== undefined
    },

    async setState(accountId, id, state) {
      await db.updateTable('data_export').set({ state }).where('account_id', '=', accountId).where('id', '=', id).execute()
    },

    async setReady(accountId, id, { bytes, rows, files }, at) {
      return hasEffect(
        db
          .updateTable('data_export')
          .set({ state: 'READY', ready_at: at, bytes, row_count: rows, file_count: files })
          .where('account_id', '=', accountId)
          .where('id', '=', id),
      )
    },

    async listExpired(at, limit) {
      const rows = await db
        .selectFrom('data_export')
        .select(['account_id', 'id'])
        .where('expires_at', '<=', at)
        .orderBy('expires_at')
        .limit(limit)
        .execute()
      return rows.map((row) => ({ accountId: row.account_id, id: row.id }))
    },

    async remove(accountId, id) {
      return hasEffect(db.deleteFrom('data_export').where('account_id', '=', accountId).where('id', '=', id))
    },
  }
}

const erasure = record<Schema['erasure_request'], Omit<StoredErasure, 'report'>>()({
  deleted_rows: hidden,
  pseudonymized_rows: hidden,
  deleted_files: hidden,
})

const toErasure = (row: Selectable<Schema['erasure_request']>): StoredErasure => ({
  ...erasure.fields(row),
  report:
    row.state === 'DONE'
      ? { deletedRows: row.deleted_rows ?? 0, pseudonymizedRows: row.pseudonymized_rows ?? 0, deletedFiles: row.deleted_files ?? 0 }
      : undefined,
})

export const erasureRequests = (db: Db): ErasureRequests => {
  const of = (accountId: string) => db.selectFrom('erasure_request').where('account_id', '=', accountId)
  return {
    async insert(accountId, request) {
      await db
        .insertInto('erasure_request')
        .values(erasure.columns({ accountId, ...request }))
        .execute()
    },

    async find(accountId, id) {
      const row = await of(accountId).selectAll().where('id', '=', id).executeTakeFirst()
      return row && toErasure(row)
    },

    async findAnywhere(id) {
      const row = await db.selectFrom('erasure_request').selectAll().where('id', '=', id).executeTakeFirst()
      return row && toErasure(row)
    },

    page: async (page) =>
      (await pageOf(db, 'erasure_request', page).execute()).map((row) => toErasure(row as Selectable<Schema['erasure_request']>)),

    async isOpen(accountId, reference) {
      const query = of(accountId).select('id').where('reference', '=', reference).where('state', 'in', ['SCHEDULED', 'RUNNING'])
      return (await query.executeTakeFirst()) !== undefined
    },

    async isRunning(accountId) {
      return (await of(accountId).select('id').where('state', '=', 'RUNNING').executeTakeFirst()) !== undefined
    },

    async setRunning(accountId, id) {
      await db.updateTable('erasure_request').set({ state: 'RUNNING' }).where('account_id', '=', accountId).where('id', '=', id).execute()
    },

    async end({ accountId, id, reference, subjectType }, { state, at, failure, report }) {
      const counts = report && {
        deleted_rows: report.deletedRows,
        pseudonymized_rows: report.pseudonymizedRows,
        deleted_files: report.deletedFiles,
      }
      await db
        .updateTable('erasure_request')
        .set({ state, ended_at: at, failure: failure ?? null, ...counts, ...(state !== 'FAILED' && { subject_sealed: '' }) })
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .execute()
      if (state !== 'DONE') return
      const others = db.updateTable('erasure_request').set({ subject_sealed: '' }).where('account_id', '=', accountId)
      await (subjectType === 'ACCOUNT' ? others : others.where('reference', '=', reference)).execute()
    },
  }
}

const pageOf = (db: Db, table: 'data_export' | 'erasure_request', { accountId, requestedBy, after, limit, offset = 0 }: RequestPage) => {
  let query = db.selectFrom(table).selectAll().orderBy('id', 'desc').limit(limit).offset(offset)
  if (accountId !== undefined) query = query.where('account_id', '=', accountId)
  if (requestedBy !== undefined) query = query.where('requested_by', '=', requestedBy)
  return after === undefined ? query : query.where('id', '<', after)
}

export const retentions = (db: Db): Retentions => {
  const remove = async (accountId: string): Promise<void> => {
    await db.deleteFrom('retention').where('account_id', '=', accountId).execute()
  }
  const ofKind = (accountId: string, kind: RetentionKind) =>
    db.selectFrom('retention').select('swept_to').where('account_id', '=', accountId).where('kind', '=', kind).executeTakeFirst()
  return {
    async find(accountId) {
      const rows = await db.selectFrom('retention').select(['kind', 'days']).where('account_id', '=', accountId).execute()
      return Object.fromEntries(rows.map(({ kind, days }) => [kind, days]))
    },

    async set(accountId, days) {
      await remove(accountId)
      const rows = retentionKinds.flatMap((kind) => (days[kind] === undefined ? [] : [{ account_id: accountId, kind, days: days[kind] }]))
      if (rows.length > 0) await db.insertInto('retention').values(rows).execute()
    },

    async sweptTo(accountId, kind) {
      const row = await ofKind(accountId, kind)
      return row?.swept_to ?? 0
    },

    async noteSwept(accountId, kind, to) {
      await db.updateTable('retention').set({ swept_to: to }).where('account_id', '=', accountId).where('kind', '=', kind).execute()
    },

    async listAccounts(after, limit) {
      const query = db.selectFrom('retention').select('account_id').distinct().where('account_id', '>', after)
      return (await query.orderBy('account_id').limit(limit).execute()).map((row) => row.account_id)
    },

    remove,
  }
}
