import { createAccount } from '#core/account/accounts/create-account.ts'
import { readSearch } from '#core/account/contacts/typed-search.ts'
import { searchAll } from '#core/account/history/search-all.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { databases, openTestDatabase, type Database } from '#test/store/databases.ts'
import { openScope } from '../shared/scope.ts'

/**
 * Searches a history of a million calls with 60,000 numbers, every hundredth with a note, by parts of numbers, by a name and by words, as the service
 * does: the first 25 that an administrator sees, their count, and the hits of the global search, with 5,000 contacts. One line per database;
 * milliseconds, median of five. On SQLite that is CPU time.
 */
const entries = Number(process.argv[2] ?? 1_000_000)
const numbers = 60_000
const contacts = 5_000

const searches = {
  '137': '137',
  fiveDigits: '30712',
  lastSix: '041234',
  noHit: '99999999',
  all: '49',
  name: 'hopper',
  word: 'complaint 4200',
  noWord: 'zebra',
}

/** Numbers `n` from 1 to the requested count, in each database's SQL. */
const series: Record<Database, string> = {
  sqlite: `(with recursive nth (n) as (select 1 union all select n + 1 from nth where n < ${entries}) select n from nth)`,
  postgres: `(select generate_series(1::bigint, ${entries}) as n)`,
}

const fill = (database: Database, accountId: string): string[] => [
  `insert into history_entry (id, account_id, user_ext, session_id, type, direction, source, target, source_alias, target_alias, status,
      connection_ids, endpoints, detail, created_at, modified_at, read, archived, starred, note, labels)
    select 'entry' || n, '${accountId}', 'w0', 'call' || n, 'CALL', 'INCOMING', '+4930' || (7000000 + (n * 7919) % ${numbers}), '+4921163554444', '', '', 'PICKUP',
      '["p0"]', '[]', '{}', 1700000000000 + n * 1000, 0, 0, 0, 0, case when n % 100 = 0 then 'complaint ' || n else '' end, '[]' from ${series[database]} as nth`,
  `insert into history_party (account_id, ext, entry_id) select account_id, 'w0', id from history_entry`,
  ...(database === 'postgres' ? ['vacuum analyze'] : []),
]

const middle = (times: number[]): number => Math.round((times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0) * 10) / 10

const time = async (database: Database, work: () => Promise<unknown>): Promise<number> => {
  const times: number[] = []
  for (let round = 0; round < 5; round++) {
    const [startedAt, cpu] = [performance.now(), process.cpuUsage()]
    await work()
    const { user, system } = process.cpuUsage(cpu)
    times.push(database === 'sqlite' ? (user + system) / 1000 : performance.now() - startedAt)
  }
  return middle(times)
}

const measure = async (database: Database, store: Store, accountId: string): Promise<Record<string, number>> => {
  const figures: Record<string, number> = {}
  const seenBy = { userId: 'w0', extensions: ['p0'] }
  for (const [kind, typed] of Object.entries(searches)) {
    const search = readSearch(typed, 'DE')
    const filter = { seenBy, search: { userId: 'w0', ...search } }
    figures[kind] = await time(database, () => store.read.history.list(accountId, filter, { limit: 25 }))
    figures[`${kind}Counted`] = await time(database, () => store.read.history.count(accountId, filter, 10_001))
    const narrowed = { ...filter, types: ['CALL'], from: 1_700_000_000_000, archived: false } as const
    figures[`${kind}Narrowed`] = await time(database, () => store.read.history.list(accountId, narrowed, { limit: 25 }))
    figures[`${kind}NarrowedCounted`] = await time(database, () => store.read.history.count(accountId, narrowed, 10_001))
    figures[`${kind}Everywhere`] = await time(database, () =>
      searchAll(store.read, { accountId, userId: 'w0', admin: true, scopes: ['all'], search }),
    )
  }
  return figures
}

for (const database of databases) {
  const scope = openScope()
  const { store, query } = await openTestDatabase(scope, database)
  const input = { company: 'Bench', country: 'DE', locale: 'en_US', currency: 'EUR' } as const
  const accountId = await store.write((tables) => createAccount(tables, new VirtualClock(), input))
  for (const statement of fill(database, accountId)) await query(statement)
  const known = Array.from({ length: contacts }, (_, n) => ({
    id: `c${n}`,
    owner: 'w0',
    shared: n % 2 === 0,
    name: n === 0 ? 'Grace Hopper' : `Person ${n}`,
    emails: [],
    numbers: [`+4930${7_012_345 + n}`],
  }))
  await store.write((tables) => tables.contacts.insert(accountId, known, 0))
  console.log(JSON.stringify({ bench: 'history-search', database, entries, ms: await measure(database, store, accountId) }))
  await scope.end()
}
