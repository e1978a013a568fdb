import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { databases, openTestStore, type Database } from '#test/store/databases.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import type { Store, Tables } from '../ports/store/index.ts'
import { PermanentError, DeferredError, Worker, type Task, type WorkerOptions } from './worker.ts'

interface Fixture {
  store: Store
  clock: VirtualClock
  errors: string[]
  start: (task: Task, more?: Partial<WorkerOptions>) => Worker
  put: (id: string, at?: number) => Promise<void>
}

/** A store, a clock and workers that are closed before it. */
const withFixture = async (t: TestContext, database: Database, body: (fixture: Fixture) => Promise<void>): Promise<void> => {
  const store = await openTestStore(t, database)
  const workers: Worker[] = []
  const idle = async () => void (await Promise.all(workers.map((worker) => worker.idle())))
  const clock = new VirtualClock(1_000_000, idle)
  const errors: string[] = []
  const start = (task: Task, more: Partial<WorkerOptions> = {}): Worker => {
    const onError = (_kind: string, error: unknown) => errors.push((error as Error).message)
    const queue = (tables: Tables) => tables.outbox
    const usual = { store, clock, queue, tasks: { note: task }, retryAfterMs: [5_000, 60_000], pollIntervalMs: 1_000, onError }
    const worker = new Worker({ ...usual, ...more })
    workers.push(worker)
    worker.start()
    return worker
  }
  const put = (id: string, at = clock.now()) => store.write(({ outbox }) => outbox.put({ id, kind: 'note', payload: { id }, at }))
  try {
    await body({ store, clock, errors, start, put })
  } finally {
    await Promise.all(workers.map((worker) => worker.close()))
  }
  assert.equal(clock.pending(), 0)
}

const idOf = (payload: unknown): string => (payload as { id: string }).id

for (const database of databases) {
  test(`${database}: does what is due, once, and what comes later at its time`, (t) =>
    withFixture(t, database, async ({ clock, start, put }) => {
      const done: string[] = []
      await put('now')
      await put('later', clock.now() + 10_000)
      const worker = start(async (payload) => void done.push(idOf(payload)))
      await worker.idle()
      assert.deepEqual(done, ['now'])
      await clock.advance(9_999)
      assert.deepEqual(done, ['now'])
      await clock.advance(1)
      assert.deepEqual(done, ['now', 'later'])
      await put('woken')
      worker.wake()
      await worker.idle()
      assert.deepEqual(done, ['now', 'later', 'woken'])
      await put('found by looking')
      await clock.advance(1_000)
      assert.equal(done.length, 4)
    }))

  test(`${database}: tries again after the given times, then gives up and keeps the reason`, (t) =>
    withFixture(t, database, async ({ store, clock, errors, start, put }) => {
      const at: number[] = []
      const givenUp: string[] = []
      await put('m')
      const closed: Task = async () => {
        at.push(clock.now() - 1_000_000)
        throw new Error('the far end is closed')
      }
      start(closed, { onGivenUp: (kind) => givenUp.push(kind) })
      await clock.advance(200_000)
      assert.deepEqual(at, [0, 5_000, 65_000])
      assert.equal(errors.length, 3)
      assert.deepEqual(givenUp, ['note'])
      const dead = await store.read.outbox.listDead(9)
      assert.deepEqual(
        dead.map(({ id, lastError }) => [id, lastError]),
        [['m', 'the far end is closed']],
      )
      assert.equal(await store.write(({ outbox }) => outbox.revive('m', clock.now())), true)
      await clock.advance(1_000)
      assert.equal(at.length, 4)
    }))

  test(`${database}: what is hopeless is not tried again`, (t) =>
    withFixture(t, database, async ({ store, clock, start, put }) => {
      let tries = 0
      await put('m')
      start(async () => {
        tries++
        throw new PermanentError('no such address')
      })
      await clock.advance(100_000)
      assert.equal(tries, 1)
      assert.equal((await store.read.outbox.listDead(9)).length, 1)
    }))

  test(`${database}: a kind of work that this process does not know waits`, (t) =>
    withFixture(t, database, async ({ store, clock, errors, start }) => {
      await store.write(({ outbox }) => outbox.put({ id: 'm', kind: 'unknown', payload: {}, at: clock.now() }))
      start(async () => assert.fail('this is not a note'))
      await clock.advance(10_000)
      assert.deepEqual(errors, [])
      assert.equal((await store.write(({ outbox }) => outbox.lease(['unknown'], clock.now(), 9, 1))).length, 1)
    }))

  test(`${database}: an entry that takes long does not hold up the others, and is not begun twice`, (t) =>
    withFixture(t, database, async ({ clock, start, put }) => {
      const slow = Promise.withResolvers<void>()
      const begun: string[] = []
      for (const id of ['slow', 'a', 'b']) await put(id)
      const worker = start(
        (payload) => {
          begun.push(idOf(payload))
          return idOf(payload) === 'slow' ? slow.promise : Promise.resolve()
        },
        { concurrency: 2 },
      )
      while (begun.length < 3) await new Promise((resolve) => setImmediate(resolve))
      await put('later')
      worker.wake()
      while (begun.length < 4) await new Promise((resolve) => setImmediate(resolve))
      const slept = clock.jump(61_000) // which waits for the worker
      slow.resolve()
      await slept
      assert.deepEqual(begun.toSorted(), ['a', 'b', 'later', 'slow'])
    }))

  test(`${database}: what did not even begin comes again, as often as it takes, and is no failure`, (t) =>
    withFixture(t, database, async ({ clock, errors, start, put }) => {
      const at: number[] = []
      await put('m')
      start(async (_, { attempts }) => {
        assert.equal(attempts, 1)
        if (at.push(clock.now() - 1_000_000) < 5) throw new DeferredError('busy', 2_000)
      })
      await clock.advance(20_000)
      assert.deepEqual(at, [0, 2_000, 4_000, 6_000, 8_000])
      assert.deepEqual(errors, [])
    }))

  test(`${database}: retries can be put apart`, (t) =>
    withFixture(t, database, async ({ clock, start, put }) => {
      const at: number[] = []
      await put('m')
      start(
        async () => {
          at.push(clock.now() - 1_000_000)
          throw new Error('not now')
        },
        { spread: (id) => (id === 'm' ? 1.20007 : 0) }, // no whole milliseconds
      )
      await clock.advance(200_000)
      assert.deepEqual(at, [0, 6_000, 78_004])
    }))

  test(`${database}: two workers on one table never do the same entry`, (t) =>
    withFixture(t, database, async ({ clock, errors, start, put }) => {
      const done: string[] = []
      for (let i = 0; i < 100; i++) await put(`m${i}`)
      for (let i = 0; i < 2; i++) start(async (payload) => void done.push(idOf(payload)))
      await clock.advance(5_000)
      assert.equal(done.length, 100)
      assert.equal(new Set(done).size, 100)
      assert.deepEqual(errors, [])
    }))
}
