import type { Selectable } from 'kysely'
import type { Correction, Holder, Portings, StoredPorting, StoredStatus, PortingDocuments } from '#core/kernel/ports/store/number.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import { flag } from '#adapters/store/schema/columns.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'

const finished = [500, 600]

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
      .values({ account_id: input.accountId, direction: input.direction, ...columns(porting), created_at: at, updated_at: at })
      .returning('id')
      .executeTakeFirstOrThrow()
    for (const number of input.numbers)
      await db.insertInto('porting_number').values({ porting_id: id, number_id: number.id, e164: number.e164 }).execute()
    return { ...porting, id }
  },

  async save(porting, at) {
    await db
      .updateTable('porting')
      .set({ ...columns(porting), updated_at: at })
      .where('id', '=', porting.id)
      .execute()
  },

  async appendEvent(id, { at, from, event, to, codes, actor }) {
    const entry = { porting_id: id, at, from_status: from ?? null, event, to_status: to, codes: JSON.stringify(codes), actor }
    await db.insertInto('porting_event').values(entry).execute()
  },

  async events(id) {
    const rows = await db.selectFrom('porting_event').selectAll().where('porting_id', '=', id).orderBy('id').execute()
    return rows.map((row) => ({
      at: row.at,
      from: (row.from_status ?? undefined) as StoredStatus | undefined,
      event: row.event,
      to: row.to_status as StoredStatus,
      codes: JSON.parse(row.codes) as string[],
      actor: row.actor,
    }))
  },

  lock: (id) => one(db, locked(db, dialect).where('id', '=', id)),

  findByAgreement: (direction, preAgreementId) =>
    one(db, select(db).where('direction', '=', direction).where('pre_agreement_id', '=', preAgreementId)),

  lockByAgreement: (direction, preAgreementId) =>
    one(db, locked(db, dialect).where('direction', '=', direction).where('pre_agreement_id', '=', preAgreementId)),

  findByOptin: (hash) => one(db, select(db).where('optin_hash', '=', hash)),

  async page({ after, limit, accountId }) {
    const rows = await select(db)
      .where('id', '>', after)
      .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId ?? ''))
      .orderBy('id')
      .limit(limit)
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

const columns = (porting: Omit<StoredPorting, 'id'>) => ({
  status: porting.status,
  port_date: porting.portDate,
  wished_date: porting.wishedDate ?? null,
  carrier: porting.carrier ?? null,
  holder: JSON.stringify(porting.holder),
  pre_agreement_id: porting.preAgreementId ?? null,
  optin_email: porting.email,
  optin_hash: porting.optinHash ?? null,
  optin_expires: porting.optinExpires ?? null,
  cancel_requested: flag(porting.cancelRequested),
  correction: porting.correction === undefined ? null : JSON.stringify(porting.correction),
  reason: porting.reason,
})

const toPorting = (row: Selectable<Schema['porting']>, numbers: StoredPorting['numbers']): StoredPorting => ({
  id: row.id,
  accountId: row.account_id,
  direction: row.direction,
  status: row.status as StoredStatus,
  portDate: row.port_date,
  wishedDate: row.wished_date ?? undefined,
  carrier: row.carrier ?? undefined,
  holder: JSON.parse(row.holder) as Holder,
  preAgreementId: row.pre_agreement_id ?? undefined,
  email: row.optin_email,
  optinHash: row.optin_hash ?? undefined,
  optinExpires: row.optin_expires ?? undefined,
  cancelRequested: row.cancel_requested === 1,
  correction: row.correction === null ? undefined : (JSON.parse(row.correction) as Correction),
  reason: row.reason,
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
