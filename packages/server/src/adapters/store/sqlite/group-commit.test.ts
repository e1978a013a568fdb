import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from '#test/store/databases.ts'
import { Checkpoints, openLogOf } from './checkpoints.ts'
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
  const flushed: number[] = []
  const disk = { flush: async (): Promise<void> => void flushed.push(database?.commits ?? 0) }
  const log = openLogOf(file)
  t.after(() => log.close())
  const checkpoints = new Checkpoints({
    log,
    ask: async ({ sql }) => database.prepare(sql).all(),
    isBusy: () => false,
    inTheWay: () => {},
  })
  const commits = new GroupCommit({ database, flush: () => disk.flush(), checkpoints, windowMs, timeoutMs: 60_000 })
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
  return { database, commits, insert, rows, disk, flushed }
}

test('commits concurrent transactions together, in order', async (t) => {
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

test('a failing transaction leaves no changes and does not affect the others', async (t) => {
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

test('rejects every write on a full disk, and continues when there is room again', async (t) => {
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

test('drain waits for every transaction, including later ones', async (t) => {
  const { commits, insert, rows } = await setUp(t, 20)
  const asked = [insert(1), insert(2).then(() => insert(3))]
  await commits.drain()
  await Promise.all(asked)
  await commits.drain()
  assert.deepEqual(rows(), [1, 2, 3])
})

test('rejects a write without room, keeps none of its changes, and continues when there is room', async (t) => {
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

test('a write resolves only after its flush; others may commit in the meantime', async (t) => {
  const { database, disk, insert } = await setUp(t, 0)
  const flushing = Promise.withResolvers<void>()
  const began = Promise.withResolvers<void>()
  disk.flush = () => (began.resolve(), flushing.promise)
  let acknowledged = false
  const written = insert(1).then(() => (acknowledged = true))
  await began.promise
  assert.equal(database.commits, 1)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(acknowledged, false)
  flushing.resolve()
  await written
})

test('after a failed flush acknowledges no write until everything is on disk by a checkpoint', async (t) => {
  const { database, disk, insert, rows } = await setUp(t, 0)
  disk.flush = async () => Promise.reject(new Error('input/output error'))
  await assert.rejects(insert(1), /input\/output error/)
  disk.flush = async () => {}
  const reader = new DatabaseSync(database.location() ?? '')
  reader.exec('pragma busy_timeout = 0; begin; select * from entry')
  await assert.rejects(insert(2), /could not be brought to the disk/)
  reader.exec('commit')
  reader.close()
  await insert(3)
  assert.deepEqual(rows(), [1, 3], 'what was refused may be there')
})

test('commits a deferrable write with others, and withdraws it while it has not begun', async (t) => {
  const { database, commits, insert, rows } = await setUp(t, 0)
  const put = (n: number) => async () => void database.prepare('insert into entry values (?, ?)').run(n, '')
  const [kept, dropped] = [new AbortController(), new AbortController()]
  const waits = commits.write(put(1), kept.signal)
  const withdrawn = commits.write(put(2), dropped.signal)
  dropped.abort(new Error('not any more'))
  await assert.rejects(withdrawn, /not any more/)
  await Promise.all([insert(3), waits])
  assert.equal(database.commits, 1)
  assert.deepEqual(rows(), [1, 3])
  kept.abort()
  const last = commits.write(put(4), new AbortController().signal)
  await commits.drain()
  await last
  assert.deepEqual(rows(), [1, 3, 4], 'nobody waits for it, but who wants everything written')
})

test('exclusive work waits for the current transaction, and later transactions wait for it', async (t) => {
  const { commits, insert, rows } = await setUp(t)
  const order: string[] = []
  const before = insert(1).then(() => order.push('before'))
  await new Promise((resolve) => void setImmediate(resolve))
  const gate = Promise.withResolvers<void>()
  const alone = commits.alone(async () => {
    order.push('alone')
    await gate.promise
    assert.deepEqual(rows(), [1])
  })
  const next = commits.alone(async () => void order.push('next'))
  const after = insert(2).then(() => order.push('after'))
  for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => void setImmediate(resolve))
  assert.deepEqual(order, ['before', 'alone'])
  gate.resolve()
  await Promise.all([before, alone, next, after])
  assert.deepEqual(order.toSorted(), ['after', 'alone', 'before', 'next'])
  await assert.rejects(
    commits.alone(() => Promise.reject(new Error('no room'))),
    /no room/,
  )
  await insert(3)
  assert.deepEqual(rows(), [1, 2, 3])
})
