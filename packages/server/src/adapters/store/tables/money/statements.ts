import type { Selectable } from 'kysely'
import type { Statements, StoredStatement } from '#core/kernel/ports/store/money/statements.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'

export const statements = (db: Db): Statements => {
  const ofAccount = (accountId: string) => db.selectFrom('statement').selectAll().where('account_id', '=', accountId)
  return {
    async list(accountId) {
      const rows = await ofAccount(accountId).orderBy('month', 'desc').execute()
      return rows.map(toStatement)
    },

    async find(accountId, month) {
      const row = await ofAccount(accountId).where('month', '=', month).executeTakeFirst()
      return row && toStatement(row)
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

    async insert(accountId, { month, kind, number, content, hash, createdAt }) {
      await db
        .insertInto('statement')
        .values({ account_id: accountId, month, kind, number, content, hash, created_at: createdAt })
        .execute()
    },
  }
}

const toStatement = ({ month, kind, number, content, hash, created_at }: Selectable<Schema['statement']>): StoredStatement => ({
  month,
  kind,
  number,
  content,
  hash,
  createdAt: created_at,
})
