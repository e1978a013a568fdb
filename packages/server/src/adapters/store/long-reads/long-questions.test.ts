import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { createAccount } from '#core/account/accounts/create-account.ts'
import { runningThreads } from '#media/thread/thread.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { countSqlite } from '#test/store/counted-sqlite.ts'
import { openTestDatabase } from '#test/store/databases.ts'
import { LongQuestions, ReadThreads } from './long-questions.ts'

const threads = (): number => runningThreads().filter(({ name }) => name === 'long-questions').length

test('counts many history entries in a thread, but not a few; both see the latest writes', async (t) => {
  const { store, query } = await openTestDatabase(t, 'sqlite')
  const input = { company: 'Example', country: 'DE', locale: 'en_US', currency: 'EUR' } as const
  const id = await store.write((tables) => createAccount(tables, new VirtualClock(), input))
  const seenBy = { userId: 'w0', extensions: ['p0'] }
  const insert = (from: number, to: number) =>
    query(`with recursive nth (n) as (select ${from} union all select n + 1 from nth where n < ${to})
      insert into history_entry (id, account_id, user_ext, session_id, type, direction, source, target, source_alias, target_alias, status,
        connection_ids, endpoints, detail, created_at, modified_at, read, archived, starred, note, labels)
      select 'entry' || n, '${id}', 'w0', 'call' || n, 'CALL', 'INCOMING', '', '', '', '', 'PICKUP', '["p0"]', '[]', '{}', n, n, 0, n % 2, 0, '', '[]' from nth`)
  const addParties = () =>
    query(`insert or ignore into history_party (account_id, ext, entry_id)
      select account_id, ext, id from history_entry, (select 'w0' as ext union select 'p0')`)
  await insert(1, 900)
  await addParties()
  const counted = countSqlite(t)
  assert.equal(await store.read.history.count(id, { seenBy: { userId: 'w0', extensions: [] } }), 900)
  assert.equal(threads(), 0)
  await insert(901, 3_000)
  await addParties()
  counted.reset()
  assert.equal(await store.read.history.count(id, { seenBy }), 3_000)
  assert.equal(await store.read.history.count(id, { seenBy, archived: true }), 1_500)
  assert.equal(threads(), 1)
  assert.deepEqual(
    [...counted.kinds.keys()].filter((sql) => sql.includes('history_entry')),
    [],
  )
  assert.equal(await store.read.history.count(id, { seenBy, sessionId: 'call7' }), 1)
  await store.write((tables) => tables.history.remove(id, 'entry7'))
  assert.equal(await store.read.history.count(id, { seenBy }), 2_999)
})

test('rejects an invalid query, and starts another thread after the first was lost', async (t) => {
  const { query } = await openTestDatabase(t, 'sqlite')
  const [{ file } = { file: '' }] = await query('select file from pragma_database_list')
  const questions = new LongQuestions({ file: String(file), inBackground: false })
  await assert.rejects(questions.ask({ sql: 'select a from nowhere', parameters: [] }), /no such table/)
  assert.deepEqual(await questions.ask({ sql: 'select ? as n', parameters: [7] }), [{ n: 7 }])
  await questions.close()
  assert.deepEqual(await questions.ask({ sql: 'select ? as n', parameters: [8] }), [{ n: 8 }])
  const lost = questions.ask({
    sql: 'with recursive nth (n) as (select 1 union all select n + 1 from nth where n < 1000000) select count(*) from nth',
    parameters: [],
  })
  await Promise.all([assert.rejects(lost, /has ended/), questions.close()])
  assert.equal(threads(), 0)
})

/** Waits for a writer that the test holds; a computing statement cannot be stopped from outside. */
const waitsForTheWriter = 'pragma wal_checkpoint(truncate)'

test('answers one account during a long query of another', async (t) => {
  const { query } = await openTestDatabase(t, 'sqlite')
  const [{ file } = { file: '' }] = await query('select file from pragma_database_list')
  const writer = new DatabaseSync(String(file))
  t.after(() => writer.close())
  const reads = new ReadThreads(String(file))
  const answered: string[] = []
  const ask = async (accountId: string, sql: string): Promise<void> => {
    await reads.ask(accountId, { sql, parameters: [] })
    answered.push(`${accountId}: ${sql}`)
  }
  writer.exec('begin immediate')
  const noisy = [ask('noisy', waitsForTheWriter), ask('noisy', 'select 1 as n')]
  await ask('quiet', 'select 2 as n')
  assert.deepEqual(answered, ['quiet: select 2 as n'])
  assert.equal(threads(), 2)
  writer.exec('commit')
  await Promise.all(noisy)
  assert.deepEqual(answered.slice(1), [`noisy: ${waitsForTheWriter}`, 'noisy: select 1 as n'])
  await reads.close()
  await assert.rejects(ask('noisy', 'select 3 as n'), /has ended/)
})

test("runs a named read over the thread's tables, and rejects an unknown name", async (t) => {
  const { store } = await openTestDatabase(t, 'sqlite')
  const input = { company: 'Example', country: 'DE', locale: 'en_US', currency: 'EUR' } as const
  const accountId = await store.write((tables) => createAccount(tables, new VirtualClock(), input))
  const contact = { id: 'c1', owner: 'w0', shared: true, name: 'Zoë', emails: ['z@example.org'], numbers: [] }
  await store.write(({ contacts }) => contacts.insert(accountId, [contact], 0))
  const slice = (await store.longReads?.read(accountId, 'contactsJson', { accountId, userId: 'w0' })) as { text: Uint8Array }
  const { owner: _, ...shown } = contact
  assert.deepEqual(JSON.parse(Buffer.from(slice.text).toString()), { items: [shown] })
  await assert.rejects(store.longReads?.read(accountId, 'nothing', {}) ?? Promise.resolve(), /no long read nothing/)
})
