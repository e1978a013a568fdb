import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAccount } from '#core/account/accounts/create-account.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { bothDatabases, openTestDatabase, type Database } from '#test/store/databases.ts'

const entries = 2_100
const series: Record<Database, string> = {
  sqlite: `(with recursive nth (n) as (select 1 union all select n + 1 from nth where n < ${entries}) select n from nth)`,
  postgres: `(select generate_series(1, ${entries}) as n)`,
}

for (const database of bothDatabases)
  test(`${database}: counts matching entries once for many and few numbers, and finds rare entries`, async (t) => {
    const { store, query } = await openTestDatabase(t, database)
    const input = { company: 'Example', country: 'DE', locale: 'en_US', currency: 'EUR' } as const
    const id = await store.write((tables) => createAccount(tables, new VirtualClock(), input))
    await query(`insert into history_entry (id, account_id, user_ext, session_id, type, direction, source, target, source_alias, target_alias, status,
        connection_ids, endpoints, detail, created_at, modified_at, read, archived, starred, note, labels)
      select 'e' || n, '${id}', case when n % 2 = 0 then 'w0' end, 'c' || n, 'CALL', case when n = 20 then 'MISSED_INCOMING' else 'INCOMING' end,
        '+49307' || (100000 + n), '', '', '', 'PICKUP', '["p0"]', '[]', '{}', n, n, 0, case when n = 31 then 1 else 0 end, case when n = 30 then 1 else 0 end,
        case when n in (5, 12) then 'room 100012' else '' end, '[]' from ${series[database]} as nth`)
    await query(`insert into history_party (account_id, ext, entry_id) select account_id, 'p0', id from history_entry`)
    const { history } = store.read
    const seenBy = { userId: 'w0', extensions: ['p0'] }
    const sought = (digits: string, text?: string) => ({ userId: 'w0', digits: [digits], names: [], ...(text !== undefined && { text }) })
    const found = async (filter: Parameters<typeof history.list>[1], max?: number) => {
      const first = await history.list(id, { seenBy, ...filter }, { limit: 3 })
      return [await history.count(id, { seenBy, ...filter }, max), ...first.map((entry) => entry.id)]
    }
    assert.deepEqual(await found({ search: sought('4930') }), [entries, 'e2100', 'e2099', 'e2098'], 'more numbers than are looked up')
    assert.deepEqual(await found({ search: sought('4930') }, 1_000), [1_000, 'e2100', 'e2099', 'e2098'])
    assert.deepEqual(await found({ search: sought('100012', '100012') }, 10_001), [2, 'e12', 'e5'], 'by number, words and both')
    assert.deepEqual(await found({ search: sought('10001', '100012'), types: ['CALL'], from: 6 }, 10_001), [10, 'e19', 'e18', 'e17'])
    assert.deepEqual(await found({ search: sought('10001', '100012') }, 4), [4, 'e19', 'e18', 'e17'])
    assert.deepEqual(await found({ search: sought('10001'), seenBy: { userId: 'w0', extensions: [] } }, 10_001), [5, 'e18', 'e16', 'e14'])
    assert.deepEqual(await found({ types: ['CALL'], directions: ['MISSED_INCOMING'], from: 3 }), [1, 'e20'])
    assert.deepEqual(await found({ starred: true }), [1, 'e30'])
    assert.deepEqual(await found({ archived: true, types: ['CALL', 'SMS'] }), [1, 'e31'])
  })
