import { sql, type Selectable } from 'kysely'
import type { Knowledge, StoredDocument, StoredPassage } from '#core/kernel/ports/store/assistant.ts'
import { hotInsert, hotRows } from '#adapters/store/sqlite/hot-row.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { hidden, record } from '../record.ts'
import { hasEffect } from '../row-counts.ts'

const document = record<Schema['knowledge_document'], StoredDocument>()({ lengths: hidden })

/** Rows per statement. */
const together = 100

export const knowledge = (db: Db, dialect: Dialect): Knowledge => ({
  ...documents(db),
  ...sources(db),
  ...passages(db),
  ...terms(db, dialect),
  ...vectors(db),

  async erase(documentId, limit) {
    // Neither database supports a limited delete here; both have row identifiers.
    const row = sql.raw(dialect === 'postgres' ? 'ctid' : 'rowid')
    for (const name of ['knowledge_term', 'knowledge_passage', 'knowledge_vectors'] as const) {
      const table = sql.table(name)
      const some = sql`select ${row} from ${table} where document_id = ${documentId} limit ${limit}`
      const { numAffectedRows = 0n } = await sql`delete from ${table} where ${row} in (${some})`.execute(db)
      if (numAffectedRows > 0n) return true
    }
    return false
  },
})

type DocumentMethods = 'insert' | 'list' | 'find' | 'findAny' | 'listOf' | 'change' | 'remove' | 'listIndexed'

const documents = (db: Db): Pick<Knowledge, DocumentMethods> => {
  const ofFlow = (accountId: string, flowId: string) =>
    db.selectFrom('knowledge_document').where('flow_id', '=', flowId).where('account_id', '=', accountId)
  return {
    async insert(input) {
      await db.insertInto('knowledge_document').values(document.columns(input)).execute()
    },

    async list(accountId, flowId) {
      return document.all(ofFlow(accountId, flowId).selectAll().orderBy('added_at', 'desc').orderBy('id'))
    },

    async find(accountId, flowId, id) {
      return document.first(ofFlow(accountId, flowId).selectAll().where('id', '=', id))
    },

    async findAny(id) {
      return document.first(db.selectFrom('knowledge_document').selectAll().where('id', '=', id))
    },

    async listOf(accountId) {
      return document.all(db.selectFrom('knowledge_document').selectAll().where('account_id', '=', accountId))
    },

    async change(id, { lengths, problem, ...change }) {
      return hasEffect(
        db
          .updateTable('knowledge_document')
          .set({
            ...change,
            problem: problem ?? null,
            ...(lengths && { lengths: JSON.stringify(lengths), passages: lengths.length }),
          })
          .where('id', '=', id),
      )
    },

    async remove(accountId, flowId, id) {
      return hasEffect(
        db.deleteFrom('knowledge_document').where('id', '=', id).where('flow_id', '=', flowId).where('account_id', '=', accountId),
      )
    },

    async listIndexed(accountId, flowId) {
      const rows = await ofFlow(accountId, flowId).select(['id', 'name', 'lengths']).where('state', '=', 'READY').execute()
      return rows.map(({ id, name, lengths }) => ({ id, name, lengths: JSON.parse(lengths) as number[] }))
    },
  }
}

const sources = (db: Db): Pick<Knowledge, 'putSource' | 'source' | 'removeSource'> => ({
  async putSource(document_id, nth, content) {
    await db.insertInto('knowledge_source').values({ document_id, nth, content }).execute()
  },

  async source(documentId, nth) {
    const query = db.selectFrom('knowledge_source').select('content').where('document_id', '=', documentId).where('nth', '=', nth)
    return (await query.executeTakeFirst())?.content
  },

  async removeSource(documentId) {
    await db.deleteFrom('knowledge_source').where('document_id', '=', documentId).execute()
  },
})

const passages = (db: Db): Pick<Knowledge, 'addPassages' | 'listPassages' | 'findPassages'> => {
  const insertRows = hotInsert(db, 'knowledge_passage')
  return {
    async addPassages(list) {
      const rows = list.map(({ documentId, nth, heading, page, text }) => ({
        document_id: documentId,
        nth,
        heading: heading ?? null,
        page: page ?? null,
        content: text,
      }))
      for (let at = 0; at < rows.length; at += together) await insertRows(...rows.slice(at, at + together))
    },

    async listPassages(documentId) {
      const query = db.selectFrom('knowledge_passage').selectAll().where('document_id', '=', documentId)
      return (await query.orderBy('nth').execute()).map(toPassage)
    },

    async findPassages(keys) {
      if (keys.length === 0) return []
      const query = db
        .selectFrom('knowledge_passage')
        .selectAll()
        .where((eb) => eb.or(keys.map(({ documentId, nth }) => eb('document_id', '=', documentId).and('nth', '=', nth))))
      return (await query.execute()).map(toPassage)
    },
  }
}

const terms = (db: Db, dialect: Dialect): Pick<Knowledge, 'addTerms' | 'listTerms'> => {
  const insertRows = hotInsert(db, 'knowledge_term')
  const ofFlow = (flowId: string) =>
    db.selectFrom('knowledge_term').select(['term', 'document_id', 'postings']).where('flow_id', '=', flowId)
  const ofTerm = hotRows(db, (flowId: string, term: string) => ofFlow(flowId).where('term', '=', term))
  const inOneTrip = async (flowId: string, list: readonly string[]) =>
    list.length === 0 ? [] : ofFlow(flowId).where('term', 'in', list).execute()
  return {
    async addTerms(flowId, list) {
      const rows = list.map(({ term, documentId, postings }) => ({ flow_id: flowId, term, document_id: documentId, postings }))
      for (let at = 0; at < rows.length; at += together) await insertRows(...rows.slice(at, at + together))
    },

    async listTerms(flowId, list) {
      const found =
        dialect === 'postgres' ? await inOneTrip(flowId, list) : (await Promise.all(list.map((term) => ofTerm(flowId, term)))).flat()
      return found.map(({ term, document_id: documentId, postings }) => ({ term, documentId, postings }))
    },
  }
}

const vectors = (db: Db): Pick<Knowledge, 'addVectors' | 'listVectors'> => ({
  async addVectors({ documentId, first, model, vectors: bytes }) {
    await db.insertInto('knowledge_vectors').values({ document_id: documentId, first, model, vectors: bytes }).execute()
  },

  async listVectors({ documentId, model, from, limit }) {
    const query = db.selectFrom('knowledge_vectors').selectAll().where('document_id', '=', documentId).where('model', '=', model)
    return (await query.where('first', '>=', from).orderBy('first').limit(limit).execute()).map(({ first, vectors: bytes }) => ({
      documentId,
      first,
      model,
      vectors: bytes,
    }))
  },
})

const toPassage = (row: Selectable<Schema['knowledge_passage']>): StoredPassage => ({
  documentId: row.document_id,
  nth: row.nth,
  text: row.content,
  ...(row.heading !== null && { heading: row.heading }),
  ...(row.page !== null && { page: row.page }),
})
