import type { Balances } from '../../../core/ports/store/balances.ts'
import type { Dialect } from '../dialect.ts'
import type { Db } from '../schema/index.ts'

export const balances = (db: Db, _dialect: Dialect): Balances => ({
  async open(accountId, currency) {
    await db.insertInto('balance').values({ account_id: accountId, currency, amount: 0, reserved: 0, credit_limit: 0 }).execute()
  },
})
