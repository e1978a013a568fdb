import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { bothDatabases, openTestStore, type Database } from '#test/store/databases.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import type { Store, Tables } from '../ports/store/index.ts'
import { SharedPoller } from './shared-poller.ts'
import { WorkSignals } from './work-signals.ts'
import { DeferredError, Worker, type Task } from './worker.ts'

/** Counts of queue queries. */
interface Asked {
  looks: number
  leases: number
  ends: number
}

const counting = (store: Store, asked: Asked): Store => {
  const counted = (tables: Tables): Tables => ({
    ...tables,
    outbox: {
      ...tables.outbox,
      nextDue: (...question) => (asked.looks++, tables.outbox.nextDue(...question)),
      lease: (...input) => (asked.leases++, tables.outbox.lease(...input)),
      done: (...ids) => (asked.ends++, tables.outbox.done(...ids)),
    },
  })
  return {
    read: counted(store.read),
    write: (work) => store.write((tables) => work(counted(tables))),
    reach: undefined,
    longReads: undefined,
    close: () => store.close(),
  }
}

interface Fixture {
  store: Store
  bare: Store
  clock: VirtualClock
  asked: Asked
  worker: Worker
}

const withWorker = async (t: TestContext, database: Database, task: Task, body: (fixture: Fixture) => Promise<void>): Promise<void> => {
  const bare = await openTestStore(t, database)
  const asked = { looks: 0, leases: 0, ends: 0 }
  const news = new WorkSignals()
  const store = news.watch(counting(bare, asked))
  const clock = new VirtualClock(1_000_000, () => worker.idle())
  const queue = (tables: Tables) => tables.outbox
  const worker = new Worker({ store, clock, queue, tasks: { note: task }, retryAfterMs: [5_000], concurrency: 2, onError: () => {} })
  news.add(worker)
  worker.start()
  await worker.idle()
  Object.assign(asked, { looks: 0 })
  try {
    await body({ store, bare, clock, asked, worker })
  } finally {
    await worker.close()
  }
  assert.equal(clock.pending(), 0)
}

const put = (store: Store, id: string, at: number): Promise<void> =>
  store.write(({ outbox }) => outbox.put({ id, kind: 'note', payload: { id, none: undefined }, at }))

for (const database of bothDatabases) {
  test(`${database}: delivers a message in the writing process without a lookup, and marks several as done together`, async (t) => {
    const done: unknown[] = []
    const task: Task = async (payload, { attempts }) => void done.push([payload, attempts])
    await withWorker(t, database, task, async ({ store, bare, clock, asked, worker }) => {
      await put(store, 'a', clock.now())
      await put(store, 'b', clock.now())
      await worker.idle()
      assert.deepEqual(done, [
        [{ id: 'a' }, 1],
        [{ id: 'b' }, 1],
      ])
      assert.deepEqual(asked, { looks: 0, leases: 0, ends: 1 })
      assert.equal(await bare.read.outbox.nextDue(['note']), undefined)
    })
  })

  test(`${database}: ignores uncommitted messages, and schedules later ones and retries without a lookup`, async (t) => {
    const at: number[] = []
    let clockOf: VirtualClock
    const task: Task = async () => {
      if (at.push(clockOf.now() - 1_000_000) === 1) throw new DeferredError('busy', 3_000)
    }
    await withWorker(t, database, task, async ({ store, clock, asked }) => {
      clockOf = clock
      const lost = store.write(async ({ outbox }) => {
        await outbox.put({ id: 'lost', kind: 'note', payload: {}, at: clock.now() })
        throw new Error('no')
      })
      await assert.rejects(lost, /no/)
      await put(store, 'later', clock.now() + 10_000)
      await clock.advance(9_999)
      assert.deepEqual([at, asked.looks], [[], 0])
      await clock.advance(20_000)
      assert.deepEqual(at, [10_000, 13_000])
    })
  })

  test(`${database}: leaves messages in the table when all slots are busy`, async (t) => {
    const begun: string[] = []
    const slow = Promise.withResolvers<void>()
    const task: Task = (payload) => {
      begun.push((payload as { id: string }).id)
      return slow.promise
    }
    await withWorker(t, database, task, async ({ store, clock, worker }) => {
      for (const id of ['a', 'b', 'c']) await put(store, id, clock.now())
      assert.deepEqual(begun, ['a', 'b'])
      slow.resolve()
      await worker.idle()
      assert.deepEqual(begun, ['a', 'b', 'c'])
    })
  })

  test(`${database}: finds entries of another process with one shared poll`, async (t) => {
    const done: string[] = []
    await withWorker(
      t,
      database,
      async (_, { id }) => void done.push(id),
      async ({ bare, clock, worker, asked }) => {
        const look = new SharedPoller({ store: bare, clock, intervalMs: 5_000, onError: (error) => assert.fail(String(error)) }, [worker])
        look.start()
        await put(bare, 'theirs', clock.now())
        await clock.advance(4_999)
        assert.deepEqual(done, [])
        await clock.advance(1)
        await look.idle()
        await clock.advance(0)
        assert.deepEqual(done, ['theirs'])
        asked.looks = 0
        await clock.advance(50_000)
        assert.equal(asked.looks, 0, 'nothing is there')
        await look.close()
      },
    )
  })
}
