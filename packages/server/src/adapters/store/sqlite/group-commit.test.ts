import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from '#test/store/databases.ts'
import { GroupCommit } from './group-commit.ts'

/** A database with one table that counts its commits. */
class CountedDatabase extends DatabaseSync {
  commits = 0

  override exec(sql: string): void {
    if (sql === 'commit') this.commits++
    super.exec(sql)
  }
}

const setUp = async (t: TestContext, windowMs = 3) => {
  let database: CountedDatabase | undefined
  const file = join(await temporaryFolder(t, async () => database?.close()), 'test.db')
  database = new CountedDatabase(file)
  database.exec('pragma journal_mode = wal')
  database.exec('create table entry (n integer primary key, text text)')
  const commits = new GroupCommit(database, windowMs)
  const insert = (n: number, text = '') =>
    commits.write(async () => {
      database.prepare('insert into entry values (?, ?)').run(n, text)
      return n
    })
  const rows = () =>
    database
      .prepare('select n from entry order by n')
      .all()
      .map((row) => row.n)
  return { database, commits, insert, rows }
}

test('transactions of the same moment are committed together, in their order', async (t) => {
  const { database, insert, rows } = await setUp(t)
  assert.deepEqual(
    await Promise.all(Array.from({ length: 100 }, (_, n) => insert(n))),
    Array.from({ length: 100 }, (_, n) => n),
  )
  assert.equal(database.commits, 1)
  assert.equal(rows().length, 100)
})

test('a write resolves only after the commit', async (t) => {
  const { database, insert } = await setUp(t)
  const seen = insert(1).then(() => database.isTransaction)
  assert.equal(await seen, false)
})

test('one that fails does not affect the others, and nothing of it stays', async (t) => {
  const { commits, database, insert, rows } = await setUp(t)
  const outcomes = await Promise.allSettled([
    insert(1),
    commits.write(async () => {
      database.prepare('insert into entry values (2, ?)').run('half')
      throw new Error('on purpose')
    }),
    insert(1),
    insert(3),
  ])
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
  )
  assert.deepEqual(rows(), [1, 3])
})

test('when the disk is full every write is refused, and it goes on when there is room again', async (t) => {
  const { database, insert, rows } = await setUp(t)
  await insert(0)
  const { page_count: pages } = database.prepare('pragma page_count').get() as { page_count: number }
  database.exec(`pragma max_page_count = ${pages + 2}`)
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => insert(n + 1, 'x'.repeat(3_000))))
  assert.ok(outcomes.some(({ status }) => status === 'rejected'))
  const kept = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  assert.deepEqual(rows(), [0, ...kept])
  database.exec('pragma max_page_count = 1000000')
  assert.equal(await insert(99), 99)
})

test('drain waits for every transaction, also for those that come meanwhile', async (t) => {
  const { commits, insert, rows } = await setUp(t, 20)
  const asked = [insert(1), insert(2).then(() => insert(3))]
  await commits.drain()
  await Promise.all(asked)
  await commits.drain()
  assert.deepEqual(rows(), [1, 2, 3])
})

test('where there is no room a write that needs some is refused, nothing of it stays, and it goes on when there is room', async (t) => {
  const { database, insert, rows } = await setUp(t)
  await insert(1)
  const { page_count: pages } = database.prepare('pragma page_count').get() as { page_count: number }
  database.exec(`pragma max_page_count = ${pages}`)
  const large = 'x'.repeat(100_000)
  const results = await Promise.allSettled([insert(2, large), insert(3, large)])
  assert.deepEqual(
    results.map((result) => result.status === 'rejected' && (result.reason as Error).name),
    ['StoreFull', 'StoreFull'],
  )
  assert.deepEqual(rows(), [1])
  database.exec('pragma max_page_count = 100000')
  await insert(4, large)
  assert.deepEqual(rows(), [1, 4])
})
