import type { Selectable } from 'kysely'
import type { Messages, StoredSms } from '#core/kernel/ports/store/message/messages.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import { flag } from '#adapters/store/schema/columns.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { smsFragments } from './sms-fragments.ts'
import { smsParts } from './sms-parts.ts'

export const messages = (db: Db, dialect: Dialect): Messages => ({
  ...stored(db, dialect),
  ...smsParts(db, dialect),
  ...smsFragments(db),
})

type Stored = Pick<Messages, 'insert' | 'find' | 'lock' | 'change' | 'remove' | 'listScheduled' | 'removeEndedBefore'>

const stored = (db: Db, dialect: Dialect): Stored => {
  const all = () => db.selectFrom('sms').selectAll()
  const one = (accountId: string, id: string) => all().where('account_id', '=', accountId).where('id', '=', id)
  return {
    async insert(sms) {
      const row = await db
        .insertInto('sms')
        .values(toRow(sms))
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .executeTakeFirst()
      return row !== undefined
    },

    async find(accountId, id) {
      const row = await one(accountId, id).executeTakeFirst()
      return row && toSms(row)
    },

    async lock(accountId, id) {
      const row = await one(accountId, id)
        .$if(dialect === 'postgres', (query) => query.forUpdate())
        .executeTakeFirst()
      return row && toSms(row)
    },

    async change(accountId, id, change, at) {
      await db
        .updateTable('sms')
        .set({ ...change, changed_at: at })
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .execute()
    },

    async remove(accountId, id) {
      await db.deleteFrom('sms').where('account_id', '=', accountId).where('id', '=', id).execute()
    },

    async listScheduled(accountId, userId) {
      const rows = await all()
        .where('account_id', '=', accountId)
        .where('state', '=', 'SCHEDULED')
        .$if(userId !== undefined, (query) => query.where('user_id', '=', userId ?? null))
        .execute()
      return rows.map(toSms)
    },

    async removeEndedBefore(at, limit) {
      const old = await db
        .selectFrom('sms')
        .select(['account_id', 'id'])
        .where('state', 'not in', ['SCHEDULED', 'PENDING'])
        .where('changed_at', '<', at)
        .limit(limit)
        .execute()
      for (const { account_id, id } of old) await db.deleteFrom('sms').where('account_id', '=', account_id).where('id', '=', id).execute()
      return old.length
    },
  }
}

const toRow = (sms: StoredSms): Schema['sms'] => ({
  account_id: sms.accountId,
  id: sms.id,
  direction: sms.direction,
  listed: flag(sms.listed),
  user_id: sms.userId ?? null,
  sms_id: sms.smsId ?? null,
  sender: sms.sender,
  recipient: sms.recipient,
  body: sms.text,
  segments: sms.segments,
  state: sms.state,
  route: sms.route ?? null,
  reason: sms.reason ?? null,
  created_at: sms.createdAt,
  changed_at: sms.changedAt,
  send_at: sms.sendAt,
  give_up_at: sms.giveUpAt,
})

const toSms = (row: Selectable<Schema['sms']>): StoredSms => ({
  accountId: row.account_id,
  id: row.id,
  direction: row.direction,
  listed: row.listed === 1,
  userId: row.user_id ?? undefined,
  smsId: row.sms_id ?? undefined,
  sender: row.sender,
  recipient: row.recipient,
  text: row.body,
  segments: row.segments,
  state: row.state,
  route: row.route ?? undefined,
  reason: row.reason ?? undefined,
  createdAt: row.created_at,
  changedAt: row.changed_at,
  sendAt: row.send_at,
  giveUpAt: row.give_up_at,
})
