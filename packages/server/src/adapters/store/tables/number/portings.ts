import type { Selectable } from 'kysely'
import type {
  Correction,
  Holder,
  PortingDocuments,
  PortingLogEntry,
  Portings,
  StoredPorting,
  StoredStatus,
} from '#core/kernel/ports/store/number.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { asFlag, asJson, asNumber, hidden, record } from '../record.ts'

const finished = [500, 600]

const stored = record<Schema['porting'], Omit<StoredPorting, 'portDate' | 'numbers'>>()({
  status: asNumber<StoredStatus>(),
  holder: asJson<Holder>(),
  optin_email: 'email',
  cancelRequested: asFlag,
  correction: asJson<Correction>(),
  port_date: hidden,
  created_at: hidden,
  updated_at: hidden,
})
const logEntry = record<Schema['porting_event'], PortingLogEntry>()({
  from_status: 'from',
  from: asNumber<StoredStatus>(),
  to_status: 'to',
  to: asNumber<StoredStatus>(),
  codes: asJson<string[]>(),
  id: hidden,
  porting_id: hidden,
})

/** A new porting without any progress. */
const untouched = {
  wishedDate: undefined,
  carrier: undefined,
  preAgreementId: undefined,
  optinHash: undefined,
  optinExpires: undefined,
  cancelRequested: false,
  correction: undefined,
  reason: '',
}

export const portings = (db: Db, dialect: Dialect): Portings => ({
  async list(accountId) {
    const rows = await select(db).where('account_id', '=', accountId).where('direction', '=', 'IN').orderBy('id').execute()
    return withNumbers(db, rows)
  },

  find: (accountId, id) => one(db, select(db).where('account_id', '=', accountId).where('direction', '=', 'IN').where('id', '=', id)),

  async insert(input, at) {
    const porting = { ...untouched, ...input, numbers: inOrder(input.numbers) }
    const { id } = await db
      .insertInto('porting')
      .values({ ...columns(porting), created_at: at, updated_at: at })
      .returning('id')
      .executeTakeFirstOrThrow()
    for (const number of input.numbers)
      await db.insertInto('porting_number').values({ porting_id: id, number_id: number.id, e164: number.e164 }).execute()
    return { ...porting, id }
  },

  async save({ id, ...porting }, at) {
    await db
      .updateTable('porting')
      .set({ ...columns(porting), updated_at: at })
      .where('id', '=', id)
      .execute()
  },

  async appendEvent(id, entry) {
    const values = { porting_id: id, ...logEntry.columns(entry) }
    await db.insertInto('porting_event').values(values).execute()
  },

  async events(id) {
    return logEntry.all(db.selectFrom('porting_event').selectAll().where('porting_id', '=', id).orderBy('id'))
  },

  lock: (id) => one(db, locked(db, dialect).where('id', '=', id)),

  findByAgreement: (direction, preAgreementId) =>
    one(db, select(db).where('direction', '=', direction).where('pre_agreement_id', '=', preAgreementId)),

  lockByAgreement: (direction, preAgreementId) =>
    one(db, locked(db, dialect).where('direction', '=', direction).where('pre_agreement_id', '=', preAgreementId)),

  findByOptin: (hash) => one(db, select(db).where('optin_hash', '=', hash)),

  async page({ after, limit, offset = 0, accountId }) {
    const rows = await select(db)
      .where('id', '>', after)
      .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId ?? ''))
      .orderBy('id')
      .limit(limit)
      .offset(offset)
      .execute()
    return withNumbers(db, rows)
  },

  async isLeaving(e164) {
    const row = await db
      .selectFrom('porting_number')
      .innerJoin('porting', 'porting.id', 'porting_number.porting_id')
      .select('porting.id')
      .where('porting_number.e164', '=', e164)
      .where('porting.direction', '=', 'OUT')
      .where('porting.status', 'not in', finished)
      .executeTakeFirst()
    return row !== undefined
  },

  async hasOpenWith(carrier) {
    const row = await select(db).where('carrier', '=', carrier).where('status', 'not in', finished).limit(1).executeTakeFirst()
    return row !== undefined
  },
})

const select = (db: Db) => db.selectFrom('porting').selectAll()

const locked = (db: Db, dialect: Dialect) => select(db).$if(dialect === 'postgres', (query) => query.forUpdate())

const one = async (db: Db, query: ReturnType<typeof select>): Promise<StoredPorting | undefined> => {
  const row = await query.executeTakeFirst()
  return row && (await withNumbers(db, [row]))[0]
}

const withNumbers = async (db: Db, rows: Selectable<Schema['porting']>[]): Promise<StoredPorting[]> => {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const found = await db.selectFrom('porting_number').selectAll().where('porting_id', 'in', ids).execute()
  const numbersOf = (id: number) => found.filter((row) => row.porting_id === id).map((row) => ({ id: row.number_id, e164: row.e164 }))
  return rows.map((row) => toPorting(row, inOrder(numbersOf(row.id))))
}

const inOrder = (numbers: StoredPorting['numbers']) => numbers.toSorted((a, b) => (a.e164 < b.e164 ? -1 : 1))

const columns = ({ portDate, numbers: _numbers, ...porting }: Omit<StoredPorting, 'id'>) => ({
  ...stored.columns(porting),
  port_date: portDate,
})

const toPorting = (row: Selectable<Schema['porting']>, numbers: StoredPorting['numbers']): StoredPorting => ({
  ...stored.fields(row),
  portDate: row.port_date,
  numbers,
})

export const portingDocuments = (db: Db): PortingDocuments => {
  const of = (accountId: string, portingId: number) =>
    db
      .selectFrom('porting_document')
      .select(['id', 'name', 'bytes', 'added_at as addedAt'])
      .where('account_id', '=', accountId)
      .where('porting_id', '=', portingId)
  return {
    list: (accountId, portingId) => of(accountId, portingId).orderBy('added_at').orderBy('id').execute(),

    content: (accountId, portingId, id) =>
      of(accountId, portingId).select('content_sealed as contentSealed').where('id', '=', id).executeTakeFirst(),

    async insert(accountId, portingId, { id, name, bytes, addedAt, contentSealed }) {
      const row = { id, account_id: accountId, porting_id: portingId, name, content_sealed: contentSealed, bytes, added_at: addedAt }
      await db.insertInto('porting_document').values(row).execute()
    },

    async remove(accountId, portingId, id) {
      const query = db.deleteFrom('porting_document').where('account_id', '=', accountId).where('porting_id', '=', portingId)
      return (await query.where('id', '=', id).executeTakeFirst()).numDeletedRows > 0n
    },

    async removeByAccount(accountId) {
      await db.deleteFrom('porting_document').where('account_id', '=', accountId).execute()
    },
  }
}
