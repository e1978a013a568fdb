import type { ExpressionBuilder } from 'kysely'
import type { ProgramLogin, ProgramNote, ProgramPart, ProgramDeps, Programs } from '#core/kernel/ports/store/message.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { asFlag, asJson, hidden, record } from '../record.ts'
import { countRows, hasEffect } from '../row-counts.ts'

const note = record<Schema['smpp_note'], ProgramNote>()({ onlyFailure: asFlag, due_at: hidden })
const login = record<Schema['smpp_login'], ProgramLogin>()({})
const part = record<Pick<Schema['smpp_part'], 'message_id' | 'number' | 'body' | 'at' | 'done_at'>, ProgramPart>()({
  body: 'text',
  text: asJson<string>(),
})

export const programs = (db: Db, dialect: Dialect): Programs => ({ ...logins(db), ...parts(db), ...notes(db, dialect) })

type Logins = Pick<Programs, 'findLogin' | 'findBySystemId' | 'setLogin' | 'removeLogin'>

const logins = (db: Db): Logins => ({
  async findLogin(accountId, smsId) {
    return login.first(db.selectFrom('smpp_login').selectAll().where('account_id', '=', accountId).where('sms_id', '=', smsId))
  },

  async findBySystemId(systemId) {
    return login.first(db.selectFrom('smpp_login').selectAll().where('system_id', '=', systemId))
  },

  async setLogin({ accountId, smsId, systemId, hash, createdAt }) {
    const changing = { system_id: systemId, hash, created_at: createdAt }
    await db
      .insertInto('smpp_login')
      .values({ account_id: accountId, sms_id: smsId, ...changing })
      .onConflict((conflict) => conflict.columns(['account_id', 'sms_id']).doUpdateSet(changing))
      .execute()
  },

  async removeLogin(accountId, smsId) {
    for (const table of ['smpp_note', 'smpp_part'] as const)
      await db.deleteFrom(table).where('account_id', '=', accountId).where('sms_id', '=', smsId).execute()
    return hasEffect(db.deleteFrom('smpp_login').where('account_id', '=', accountId).where('sms_id', '=', smsId))
  },
})

// As JSON, because a part may end with half of a surrogate pair, which no database stores as text.
const parts = (db: Db): Pick<Programs, 'parts' | 'putPart' | 'countParts' | 'finishParts' | 'removeParts'> => ({
  async parts(of) {
    return part.all(db.selectFrom('smpp_part').select(['message_id', 'number', 'body', 'at', 'done_at']).where(same(of)).orderBy('number'))
  },

  async putPart(of, { number, ...rest }) {
    const changing = part.columns(rest)
    await db
      .insertInto('smpp_part')
      .values({ ...columns(of), number, ...changing })
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'sms_id', 'sender', 'recipient', 'reference', 'total', 'number']).doUpdateSet(changing),
      )
      .execute()
  },

  async countParts(accountId, smsId) {
    return countRows(
      db.selectFrom('smpp_part').where('account_id', '=', accountId).where('sms_id', '=', smsId).where('done_at', 'is', null),
    )
  },

  async finishParts(of, messageId, at) {
    await db.updateTable('smpp_part').set({ done_at: at }).where(same(of)).where('message_id', '=', messageId).execute()
  },

  async removeParts(of) {
    await db.deleteFrom('smpp_part').where(same(of)).execute()
  },
})

const columns = ({ accountId, smsId, sender, recipient, reference, total }: ProgramDeps) => ({
  account_id: accountId,
  sms_id: smsId,
  sender,
  recipient,
  reference,
  total,
})

const same = (of: ProgramDeps) => (eb: ExpressionBuilder<Schema, 'smpp_part'>) => eb.and(columns(of))

type Notes = Omit<Programs, keyof Logins | 'parts' | 'putPart' | 'countParts' | 'finishParts' | 'removeParts'>

const notes = (db: Db, dialect: Dialect): Notes => ({
  async putNote(input, dueAt) {
    const values = { ...note.columns(input), due_at: dueAt ?? null }
    await db.insertInto('smpp_note').values(values).execute()
  },

  async outcomeKnown(accountId, messageId, at) {
    await db
      .updateTable('smpp_note')
      .set({ due_at: at, created_at: at })
      .where('account_id', '=', accountId)
      .where('message_id', '=', messageId)
      .where('due_at', 'is', null)
      .execute()
  },

  async haveDue(accountId, smsId, now) {
    return (await dueNotes(db, accountId, smsId, now).limit(1).executeTakeFirst()) !== undefined
  },

  async takeNotes(accountId, smsId, { now, until, limit }) {
    const due = dueNotes(db, accountId, smsId, now).orderBy('created_at').orderBy('id').limit(limit)
    const rows = await db
      .updateTable('smpp_note')
      .set({ due_at: until })
      .where('account_id', '=', accountId)
      .where('id', 'in', dialect === 'postgres' ? due.forUpdate().skipLocked() : due)
      .returningAll()
      .execute()
    return rows.map(note.fields).toSorted((a, b) => a.createdAt - b.createdAt || a.id.localeCompare(b.id))
  },

  async postponeNote(accountId, id, dueAt) {
    await db.updateTable('smpp_note').set({ due_at: dueAt }).where('account_id', '=', accountId).where('id', '=', id).execute()
  },

  async removeNote(accountId, id) {
    await db.deleteFrom('smpp_note').where('account_id', '=', accountId).where('id', '=', id).execute()
  },

  async removeNotesOf(accountId, messageId) {
    await db.deleteFrom('smpp_note').where('account_id', '=', accountId).where('message_id', '=', messageId).execute()
  },

  async countNotes(accountId, smsId, kind) {
    return countRows(db.selectFrom('smpp_note').where('account_id', '=', accountId).where('sms_id', '=', smsId).where('kind', '=', kind))
  },

  async removeOlderThan(before) {
    await db.deleteFrom('smpp_part').where('at', '<', before.parts).execute()
    await db.deleteFrom('smpp_note').where('due_at', 'is not', null).where('created_at', '<', before.told).execute()
    await db.deleteFrom('smpp_note').where('created_at', '<', before.outcomes).execute()
  },
})

const dueNotes = (db: Db, accountId: string, smsId: string, now: number) =>
  db.selectFrom('smpp_note').select('id').where('account_id', '=', accountId).where('sms_id', '=', smsId).where('due_at', '<=', now)
