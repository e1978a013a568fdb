import { sql, type RawBuilder } from 'kysely'
import type { BookSum, TimeSpan, UsageKey, Usages, Statements, StoredStatement } from '#core/kernel/ports/store/money.ts'
import { askAside } from '#adapters/store/sqlite/sqlite-driver.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { hidden, record } from '../record.ts'

const keys: Record<UsageKey, RawBuilder<string | null>> = {
  purpose: sql<string | null>`ledger_entry.purpose`,
  number: sql<string | null>`ledger_entry.number`,
  user: sql<string | null>`ledger_entry.user_ext`,
  country: sql<string | null>`ledger_entry.country`,
  quarter: sql<string>`cast(ledger_entry.at / 900000 as text)`,
}

export const usages = (db: Db): Usages => {
  /** Every entry has one posting in each of two books. */
  const postings = (accountId: string, { from, to }: TimeSpan) =>
    db
      .selectFrom('ledger_entry')
      .innerJoin('ledger_posting', 'ledger_posting.entry_id', 'ledger_entry.id')
      .where('ledger_entry.account_id', '=', accountId)
      .where('ledger_entry.at', '>=', from)
      .where('ledger_entry.at', '<', to)

  return {
    async sums(accountId, key, span) {
      const purpose = sql<string>`coalesce(ledger_entry.purpose, ledger_entry.reason)`
      const query = postings(accountId, span)
        .where('ledger_posting.book', '=', 'revenue')
        .select((eb) => [
          keys[key].as('key'),
          purpose.as('purpose'),
          eb.fn.countAll<number | string>().as('entries'),
          eb.fn.sum<number | string | null>('ledger_entry.seconds').as('seconds'),
          eb.fn.sum<number | string | null>('ledger_entry.units').as('units'),
          eb.fn.sum<number | string>('ledger_posting.amount').as('amount'),
        ])
        .groupBy([keys[key], purpose])
      const rows = await askAside(db, accountId, query)
      return rows.map(({ key: one, purpose: what, entries, seconds, units, amount }) => ({
        key: one,
        purpose: what,
        entries: Number(entries),
        seconds: Number(seconds ?? 0),
        units: Number(units ?? 0),
        amount: Number(amount),
      }))
    },

    async movements(accountId, span) {
      const query = postings(accountId, span)
        .where('ledger_posting.book', 'in', ['payments', 'adjustments'])
        .select((eb) => ['ledger_posting.book', eb.fn.sum<number | string>('ledger_posting.amount').as('amount')])
        .groupBy('ledger_posting.book')
      const rows = await askAside(db, accountId, query)
      return rows.map(({ book, amount }) => ({ book: book as BookSum['book'], amount: -Number(amount) }))
    },

    async balanceAt(accountId, at) {
      const query = postings(accountId, { from: 0, to: at })
        .where('ledger_posting.book', '=', 'balance')
        .select((eb) => eb.fn.sum<number | string | null>('ledger_posting.amount').as('amount'))
      const [row] = await askAside(db, accountId, query)
      return Number(row?.amount ?? 0)
    },

    async accountsIn(month, { from, to }, { after, limit }) {
      const rows = await db
        .selectFrom('account')
        .select('id')
        .where('id', '>', after)
        .where((eb) =>
          eb.exists(
            eb
              .selectFrom('ledger_entry')
              .select('ledger_entry.id')
              .whereRef('ledger_entry.account_id', '=', 'account.id')
              .where('ledger_entry.at', '>=', from)
              .where('ledger_entry.at', '<', to),
          ),
        )
        .where((eb) =>
          eb.not(
            eb.exists(
              eb
                .selectFrom('statement')
                .select('statement.month')
                .whereRef('statement.account_id', '=', 'account.id')
                .where('statement.month', '=', month),
            ),
          ),
        )
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(({ id }) => id)
    },
  }
}

const statement = record<Schema['statement'], StoredStatement>()({ account_id: hidden })

export const statements = (db: Db): Statements => {
  const ofAccount = (accountId: string) => db.selectFrom('statement').selectAll().where('account_id', '=', accountId)
  return {
    async list(accountId) {
      return statement.all(ofAccount(accountId).orderBy('month', 'desc'))
    },

    async find(accountId, month) {
      return statement.first(ofAccount(accountId).where('month', '=', month))
    },

    async nextNumber(kind) {
      const { last } = await db
        .insertInto('statement_series')
        .values({ kind, last: 1 })
        .onConflict((conflict) => conflict.column('kind').doUpdateSet((eb) => ({ last: eb('statement_series.last', '+', 1) })))
        .returning('last')
        .executeTakeFirstOrThrow()
      return last
    },

    async insert(accountId, input) {
      const values = { account_id: accountId, ...statement.columns(input) }
      await db.insertInto('statement').values(values).execute()
    },
  }
}
