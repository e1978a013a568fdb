import { sql } from 'kysely'
import type { Messages, StoredSms, TakenPart, FragmentKey, Fragments } from '#core/kernel/ports/store/message.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { asFlag, asJson, record } from '../record.ts'
import type { ReceiptState, SmsReceipt } from '#core/kernel/ports/messages.ts'
import { affectedRows, hasEffect } from '../row-counts.ts'

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
    async insert(input) {
      return hasEffect(
        db
          .insertInto('sms')
          .values(sms.columns(input))
          .onConflict((conflict) => conflict.doNothing()),
      )
    },

    async find(accountId, id) {
      return sms.first(one(accountId, id))
    },

    async lock(accountId, id) {
      return sms.first(one(accountId, id).$if(dialect === 'postgres', (query) => query.forUpdate()))
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
      return rows.map(sms.fields)
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

const sms = record<Schema['sms'], StoredSms>()({ listed: asFlag, body: 'text' })

type Parts = Pick<Messages, 'lockRouteId' | 'insertPart' | 'setPartState' | 'parts' | 'openParts'>
type EarlyReceipts = Pick<Messages, 'keepEarlyReceipt' | 'takeEarlyReceipt' | 'removeEarlyReceiptsBefore'>

const smsParts = (db: Db, dialect: Dialect): Parts & EarlyReceipts => ({ ...parts(db, dialect), ...earlyReceipts(db) })

/** State without a final outcome. */
const open: ReceiptState = 'ENROUTE'

const part = record<Schema['sms_part'], TakenPart>()({})

const parts = (db: Db, dialect: Dialect): Parts => ({
  async lockRouteId(route, routeId) {
    // Without a row yet, the name is locked until the end of the transaction.
    if (dialect === 'postgres') await sql`select pg_advisory_xact_lock(hashtextextended(${`sms:${route}:${routeId}`}, 0))`.execute(db)
  },

  async insertPart(input) {
    await db
      .insertInto('sms_part')
      .values(part.columns(input))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  },

  async setPartState({ accountId, id, number }, state) {
    await db
      .updateTable('sms_part')
      .set({ state })
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .where('number', '=', number)
      .execute()
  },

  async parts(accountId, id) {
    return part.all(db.selectFrom('sms_part').selectAll().where('account_id', '=', accountId).where('id', '=', id).orderBy('number'))
  },

  async openParts(route, routeId) {
    const rows = await db
      .selectFrom('sms_part')
      .innerJoin('sms', (join) => join.onRef('sms.account_id', '=', 'sms_part.account_id').onRef('sms.id', '=', 'sms_part.id'))
      .selectAll('sms_part')
      .select('sms.recipient')
      .where('sms_part.route', '=', route)
      .where('sms_part.route_id', '=', routeId)
      .where('sms_part.state', '=', open)
      .orderBy('sms.created_at')
      .orderBy('sms.id')
      .orderBy('sms_part.number')
      .execute()
    return rows.map(({ recipient, ...row }) => ({ ...part.fields(row), recipient }))
  },
})

const earlyReceipts = (db: Db): EarlyReceipts => ({
  async keepEarlyReceipt(route, { id, state, error, recipient = '' }, at) {
    const news = { state, error, at }
    await db
      .insertInto('sms_early_receipt')
      .values({ route, route_id: id, recipient, ...news })
      .onConflict((conflict) => conflict.columns(['route', 'route_id', 'recipient']).doUpdateSet(news))
      .execute()
  },

  async takeEarlyReceipt(route, routeId, recipient, since) {
    const rows = await db
      .deleteFrom('sms_early_receipt')
      .where('route', '=', route)
      .where('route_id', '=', routeId)
      .where('recipient', 'in', ['', recipient])
      .returningAll()
      .execute()
    const row = rows.find(({ at }) => at >= since)
    const receipt: SmsReceipt | undefined = row && { id: routeId, state: row.state, error: row.error }
    return receipt
  },

  async removeEarlyReceiptsBefore(at) {
    return affectedRows(db.deleteFrom('sms_early_receipt').where('at', '<', at))
  },
})

type FragmentTable = Pick<
  Messages,
  'lockFragments' | 'setFragments' | 'removeFragments' | 'listFragmentsBefore' | 'removeDoneFragmentsBefore'
>

const fragments = record<Pick<Schema['sms_fragment'], 'parts' | 'done_at'>, Fragments>()({ parts: asJson<Fragments['parts']>() })

// As JSON, because a part may end with half of a surrogate pair, which no database stores as text.
const smsFragments = (db: Db): FragmentTable => ({
  async lockFragments(key, at) {
    // Inserts an empty row first: on PostgreSQL a written row is locked until the end of the transaction.
    const row = await db
      .insertInto('sms_fragment')
      .values({ ...columns(key), parts: '{}', at, done_at: null })
      .onConflict((conflict) => conflict.columns(['route', 'sender', 'recipient', 'reference', 'total']).doUpdateSet({ at }))
      .returning(['parts', 'done_at'])
      .executeTakeFirstOrThrow()
    return fragments.fields(row)
  },

  async setFragments(key, change) {
    await db
      .updateTable('sms_fragment')
      .set(fragments.columns(change))
      .where((eb) => eb.and(columns(key)))
      .execute()
  },

  async removeFragments(key) {
    await db
      .deleteFrom('sms_fragment')
      .where((eb) => eb.and(columns(key)))
      .execute()
  },

  async listFragmentsBefore(at, limit) {
    const rows = await db
      .selectFrom('sms_fragment')
      .selectAll()
      .where('at', '<', at)
      .where('done_at', 'is', null)
      .orderBy('at')
      .limit(limit)
      .execute()
    return rows.map(({ parts, done_at, ...row }) => ({ ...columns(row), ...fragments.fields({ parts, done_at }) }))
  },

  async removeDoneFragmentsBefore(at) {
    await db.deleteFrom('sms_fragment').where('done_at', '<', at).execute()
  },
})

const columns = ({ route, sender, recipient, reference, total }: FragmentKey) => ({ route, sender, recipient, reference, total })
