import type { Selectable } from 'kysely'
import type { SmsCallerId, SmsLine, SmsLines } from '#core/kernel/ports/store/line.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { extensions } from './extensions.ts'
import { record } from '../record.ts'
import { hasEffect } from '../row-counts.ts'

const smsLine = record<{ ext: string; alias: string; owner: string; caller_id: string | null }, SmsLine>()({ ext: 'id' })

export const smsLines = (db: Db): SmsLines => ({
  async create(accountId, { owner, alias, at }) {
    const ext = await extensions(db).create(accountId, { kind: 's', alias, owner, at })
    await db.insertInto('sms_line').values({ account_id: accountId, ext, owner }).execute()
    return ext
  },

  async list(accountId, owner) {
    return smsLine.all(living(db, accountId).where('sms_line.owner', '=', owner).orderBy('extension.n'))
  },

  async find(accountId, id) {
    return smsLine.first(living(db, accountId).where('sms_line.ext', '=', id))
  },

  async remove(accountId, id, at) {
    await db.deleteFrom('sms_caller_id').where('account_id', '=', accountId).where('sms', '=', id).execute()
    await extensions(db).remove(accountId, id, at)
  },

  async callerIds(accountId, sms) {
    const rows = await callerIdsOf(db, accountId, sms).orderBy('id').execute()
    return rows.map(toCallerId)
  },

  async findCallerId(accountId, sms, id) {
    const row = await callerIdsOf(db, accountId, sms).where('id', '=', id).executeTakeFirst()
    return row && toCallerId(row)
  },

  async awaitCode(accountId, sms, phoneNumber, { hash, expiresAt }) {
    const code = { code_hash: hash, code_expires: expiresAt, tries: 0 }
    const row = await db
      .insertInto('sms_caller_id')
      .values({ account_id: accountId, sms, phone_number: phoneNumber, verified_at: null, is_default: 0, ...code })
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'sms', 'phone_number']).doUpdateSet(code).where('sms_caller_id.verified_at', 'is', null),
      )
      .returning('id')
      .executeTakeFirst()
    return row?.id
  },

  async takeTry(accountId, sms, id, { tries, now }) {
    const row = await db
      .updateTable('sms_caller_id')
      .set((eb) => ({ tries: eb('tries', '+', 1) }))
      .where('account_id', '=', accountId)
      .where('sms', '=', sms)
      .where('id', '=', id)
      .where('verified_at', 'is', null)
      .where('tries', '<', tries)
      .where('code_expires', '>', now)
      .returning('code_hash')
      .executeTakeFirst()
    return row?.code_hash ?? undefined
  },

  async markVerified(accountId, sms, id, at) {
    await callerId(db, accountId, sms).set({ verified_at: at, code_hash: null, code_expires: null }).where('id', '=', id).execute()
  },

  async setDefault(accountId, sms, id) {
    await callerId(db, accountId, sms).set({ is_default: 0 }).where('is_default', '=', 1).execute()
    if (id !== undefined) await callerId(db, accountId, sms).set({ is_default: 1 }).where('id', '=', id).execute()
  },

  async removeCallerId(accountId, sms, id) {
    return hasEffect(db.deleteFrom('sms_caller_id').where('account_id', '=', accountId).where('sms', '=', sms).where('id', '=', id))
  },
})

const callerIdsOf = (db: Db, accountId: string, sms: string) =>
  db.selectFrom('sms_caller_id').selectAll().where('account_id', '=', accountId).where('sms', '=', sms)

const callerId = (db: Db, accountId: string, sms: string) =>
  db.updateTable('sms_caller_id').where('account_id', '=', accountId).where('sms', '=', sms)

const living = (db: Db, accountId: string) =>
  db
    .selectFrom('sms_line')
    .innerJoin('extension', (join) =>
      join.onRef('extension.account_id', '=', 'sms_line.account_id').onRef('extension.ext', '=', 'sms_line.ext'),
    )
    .leftJoin('sms_caller_id', (join) =>
      join
        .onRef('sms_caller_id.account_id', '=', 'sms_line.account_id')
        .onRef('sms_caller_id.sms', '=', 'sms_line.ext')
        .on('sms_caller_id.is_default', '=', 1),
    )
    .select(['sms_line.ext', 'sms_line.owner', 'extension.alias', 'sms_caller_id.phone_number as caller_id'])
    .where('sms_line.account_id', '=', accountId)
    .where('extension.deleted_at', 'is', null)

const toCallerId = (row: Selectable<Schema['sms_caller_id']>): SmsCallerId => ({
  id: row.id,
  phoneNumber: row.phone_number,
  verified: row.verified_at !== null,
  isDefault: row.is_default === 1,
})
