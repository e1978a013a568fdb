import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { bothDatabases, openTestStore, type Database } from '#test/store/databases.ts'
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

/** Store, clock and workers, which are closed first. */
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

for (const database of bothDatabases) {
  test(`${database}: runs due entries once, and later ones at their time`, (t) =>
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

  test(`${database}: retries after the given times, then gives up and keeps the reason`, (t) =>
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

  test(`${database}: does not retry after a PermanentError`, (t) =>
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

  test(`${database}: leaves entries of an unknown kind in the queue`, (t) =>
    withFixture(t, database, async ({ store, clock, errors, start }) => {
      await store.write(({ outbox }) => outbox.put({ id: 'm', kind: 'unknown', payload: {}, at: clock.now() }))
      start(async () => assert.fail('this is not a note'))
      await clock.advance(10_000)
      assert.deepEqual(errors, [])
      assert.equal((await store.write(({ outbox }) => outbox.lease(['unknown'], clock.now(), 9, 1))).length, 1)
    }))

  test(`${database}: runs other entries while one takes long, and starts none twice`, (t) =>
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
      const slept = clock.jump(61_000) // the clock waits for the worker
      slow.resolve()
      await slept
      assert.deepEqual(begun.toSorted(), ['a', 'b', 'later', 'slow'])
    }))

  test(`${database}: repeats a deferred entry without counting an attempt or failure`, (t) =>
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

  test(`${database}: applies jitter to retries`, (t) =>
    withFixture(t, database, async ({ clock, start, put }) => {
      const at: number[] = []
      await put('m')
      start(
        async () => {
          at.push(clock.now() - 1_000_000)
          throw new Error('not now')
        },
        { spread: (id) => (id === 'm' ? 1.20007 : 0) }, // not whole milliseconds
      )
      await clock.advance(200_000)
      assert.deepEqual(at, [0, 6_000, 78_004])
    }))

  test(`${database}: parks an entry whose process died twice, and keeps those that ran concurrently`, (t) =>
    withFixture(t, database, async ({ store, clock, start, put }) => {
      const begun: string[] = []
      const parked: unknown[] = []
      const kinds: string[] = []
      for (const id of ['guilty', 'beside', 'another']) await put(id)
      const dieWith = async (ids: readonly string[]): Promise<void> => {
        const leased = await store.write(({ outbox }) => outbox.lease(['note'], clock.now(), 9, 60_000))
        assert.deepEqual(leased.map(({ id }) => id).toSorted(), ids)
        await clock.jump(60_001)
      }
      await dieWith(['another', 'beside', 'guilty'])
      // After the restart each of the three is a suspect, and runs alone until the guilty one ends the process again.
      const [first, ...others] = await store.write(({ outbox }) => outbox.lease(['note'], clock.now(), 9, 60_000))
      assert.equal(first?.lost, 1)
      for (const { id } of others) await store.write(({ outbox }) => outbox.postpone(id, clock.now()))
      const guilty = first?.id ?? ''
      await clock.jump(60_001)
      start(async (payload) => void begun.push(idOf(payload)), {
        parked: { note: async (payload) => void parked.push(idOf(payload)) },
        onParked: (kind) => kinds.push(kind),
      })
      await clock.advance(10_000)
      assert.deepEqual([parked, kinds], [[guilty], ['note']])
      assert.deepEqual(begun.toSorted(), ['guilty', 'beside', 'another'].filter((id) => id !== guilty).toSorted())
      const [dead] = await store.read.outbox.listDead(9)
      assert.match(dead?.lastError ?? '', /died 2 times/)
    }))

  test(`${database}: runs an entry whose leases were written without an answer, instead of parking it`, (t) =>
    withFixture(t, database, async ({ store, clock, errors, start, put }) => {
      await put('unlucky')
      let unanswered = 3
      const begun: string[] = []
      start(async (payload) => void begun.push(idOf(payload)), {
        store: {
          read: store.read,
          reach: undefined,
          longReads: undefined,
          close: () => store.close(),
          write: async (work) => {
            const result = await store.write(work)
            if (unanswered-- > 0) throw new Error('the connection broke')
            return result
          },
        },
      })
      for (let minutes = 0; minutes < 5; minutes++) await clock.advance(61_000)
      assert.deepEqual(begun, ['unlucky'])
      assert.equal(errors.length, 3)
    }))

  test(`${database}: runs suspects one after the other`, (t) =>
    withFixture(t, database, async ({ store, clock, start, put }) => {
      for (const id of ['a', 'b', 'c']) await put(id)
      await store.write(({ outbox }) => outbox.lease(['note'], clock.now(), 9, 60_000))
      await clock.jump(60_001)
      let running = 0
      const ended = Promise.withResolvers<void>()
      const done: string[] = []
      start(async (payload) => {
        assert.equal(++running, 1)
        if (done.push(idOf(payload)) === 1) await ended.promise
        running--
      })
      while (done.length === 0) await new Promise((resolve) => setImmediate(resolve))
      ended.resolve()
      await clock.advance(5_000)
      assert.deepEqual(done.toSorted(), ['a', 'b', 'c'])
    }))

  test(`${database}: keeps a parked job until it is revived, and does not count a long run as lost`, (t) =>
    withFixture(t, database, async ({ store, clock, start }) => {
      const queue = (tables: Tables) => tables.jobs
      const begun: number[] = []
      const long = Promise.withResolvers<void>()
      await store.write(({ jobs }) => jobs.schedule({ id: 'j', kind: 'note', payload: {}, dueAt: clock.now() }))
      const worker = start(
        async (_, { attempts }) => {
          if (begun.push(attempts) === 1) await long.promise
        },
        { queue },
      )
      while (begun.length === 0) await new Promise((resolve) => setImmediate(resolve))
      const passed = clock.jump(61_000)
      worker.wake()
      long.resolve()
      await passed
      assert.deepEqual(begun, [1])
      await store.write(async ({ jobs }) => {
        await jobs.schedule({ id: 'p', kind: 'note', payload: {}, dueAt: clock.now() })
        await jobs.park('p', clock.now(), 'died')
      })
      await clock.advance(1_000)
      const [parked] = await store.read.jobs.listParked(9)
      assert.deepEqual([parked?.id, begun.length], ['p', 1])
      assert.deepEqual(
        (await store.read.jobs.figures()).map(({ kind, pending, dead }) => [kind, pending, dead]),
        [['note', 0, 1]],
      )
      assert.equal(await store.write(({ jobs }) => jobs.revive('p', clock.now())), true)
      assert.equal(await store.write(({ jobs }) => jobs.revive('p', clock.now())), false)
      await clock.advance(1_000)
      assert.deepEqual([begun, await store.read.jobs.listParked(9)], [[1, 1], []])
    }))

  test(`${database}: never runs an entry in two workers`, (t) =>
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
