import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { temporaryFolder } from '#test/store/databases.ts'
import { runningThreads } from '#media/thread/thread.ts'
import { sqliteStore } from '../sqlite-store.ts'
import { Checkpoints, openLogOf } from './checkpoints.ts'

const everyCommits = 256
const everyBytes = 16 * 1024 * 1024

/** Another connection that answers on request. */
const setUp = () => {
  const log = { bytes: 0 }
  const asked: { sql: string; answer: PromiseWithResolvers<object[]> }[] = []
  const inTheWay: boolean[] = []
  const other = { busy: false }
  const checkpoints = new Checkpoints({
    log,
    ask: ({ sql }) => {
      const answer = Promise.withResolvers<object[]>()
      asked.push({ sql, answer })
      return answer.promise
    },
    isBusy: () => other.busy,
    inTheWay: (yes) => void inTheWay.push(yes),
  })
  const commit = (times: number): void => {
    for (let n = 0; n < times; n++) checkpoints.committed()
  }
  const answered = async (): Promise<void> => {
    asked.at(-1)?.answer.resolve([])
    await turn()
  }
  return { log, asked, inTheWay, other, checkpoints, commit, answered }
}

test('checkpoints after many commits or much log growth, one at a time', async () => {
  const { log, asked, checkpoints, commit, answered } = setUp()
  commit(everyCommits - 1)
  assert.equal(asked.length, 0)
  commit(1)
  assert.deepEqual(
    asked.map(({ sql }) => sql),
    ['pragma wal_checkpoint(passive)'],
  )
  assert.equal(checkpoints.inFront(), undefined, 'commits go on')
  await answered()
  assert.equal(checkpoints.inFront(), undefined, 'nothing came meanwhile')
  log.bytes = everyBytes
  commit(1)
  commit(everyCommits)
  assert.equal(asked.length, 2)
})

test('checkpoints later commits before the next one, unless the other connection is busy', async () => {
  const { asked, other, checkpoints, commit, answered } = setUp()
  commit(everyCommits + 3)
  await answered()
  other.busy = true
  assert.equal(checkpoints.inFront(), undefined)
  other.busy = false
  let begins = false
  const waits = checkpoints.inFront()?.then(() => (begins = true))
  assert.equal(asked.length, 2)
  await turn()
  assert.equal(begins, false)
  await answered()
  await waits
  assert.equal(checkpoints.inFront(), undefined)
})

test("falls back to SQLite's own checkpoints while the other connection fails", async () => {
  const { asked, inTheWay, commit, answered } = setUp()
  commit(everyCommits)
  asked[0]?.answer.reject(new Error('the thread has ended'))
  await turn()
  assert.deepEqual(inTheWay, [true])
  commit(everyCommits)
  await answered()
  assert.deepEqual(inTheWay, [true, false])
})

test('the log restarts during continuous commits, and stays as long as a few hundred of them', async (t) => {
  const connections: DatabaseSync[] = []
  const file = join(await temporaryFolder(t, async () => connections.forEach((one) => one.close())), 'test.db')
  const open = (): DatabaseSync => {
    const database = new DatabaseSync(file)
    database.exec('pragma journal_mode = wal; pragma wal_autocheckpoint = 0')
    connections.push(database)
    return database
  }
  const [writer, other] = [open(), open()]
  writer.exec('create table entry (text text)')
  const log = openLogOf(file)
  t.after(() => log.close())
  let asked = 0
  const checkpoints = new Checkpoints({
    log,
    ask: async ({ sql }) => {
      const result = other.prepare(sql).all()
      asked += 1
      // A commit always arrives shortly before the answer.
      if (asked % 2 === 1) commit()
      return result
    },
    isBusy: () => false,
    inTheWay: () => {},
  })
  const insert = writer.prepare('insert into entry values (?)')
  const commit = (): void => {
    insert.run('x'.repeat(2_000))
    checkpoints.committed()
  }
  for (let n = 0; n < 20 * everyCommits; n++) {
    await checkpoints.inFront()
    commit()
  }
  assert.ok(asked >= 30, `asked ${asked} times`)
  assert.ok(log.bytes < 8 * 1024 * 1024, `${log.bytes} bytes`)
})

test('the store runs checkpoints in a thread', async (t) => {
  const file = join(await temporaryFolder(t), 'test.db')
  const store = await sqliteStore(file, { commitWindowMs: 0 })
  for (let n = 0; n < everyCommits; n++) await store.write(({ settings }) => settings.setOnce(`nth ${n}`, 'x'))
  const threads = runningThreads().filter(({ name }) => name === 'checkpoints')
  await store.close()
  assert.equal(threads.length, 1)
  const again = await sqliteStore(file)
  assert.equal(await again.read.settings.get('nth 255'), 'x')
  await again.close()
})
