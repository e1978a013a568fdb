import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAccount } from '#core/account/accounts/create-account.ts'
import { runningThreads } from '#media/thread/thread.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { countSqlite } from '#test/store/counted-sqlite.ts'
import { openTestDatabase } from '#test/store/databases.ts'
import { LongQuestions } from './long-questions.ts'

const threads = (): number => runningThreads().filter(({ name }) => name === 'long-questions').length

test('many entries of the history are counted in a thread, a few are not; both see what was just written', async (t) => {
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

test('a question that makes no sense is refused; who asks after the thread was lost finds another one', async (t) => {
  const { query } = await openTestDatabase(t, 'sqlite')
  const [{ file } = { file: '' }] = await query('select file from pragma_database_list')
  const questions = new LongQuestions(String(file))
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
