import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { bothDatabases, openTestStore, type Database } from '#test/store/databases.ts'
import { ScriptedRecordings } from '#test/ports/scripted-recordings.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { createAccount } from '#core/account/accounts/create-account.ts'
import type { SessionEndMessage } from '#core/assistant/delivery/events/deliver-session-end.ts'
import { lostWithProcess } from '#test/routing/lost-calls.ts'
import { sessionSweep, writeEnd } from '#core/assistant/session/write-end.ts'
import { Worker, Tasks } from './worker.ts'
import { Leases } from './leases.ts'
import { type RecoverDeps, suspectAll, leaseJobs, recoverAll } from '#core/telephone/call/takeover/end-lost-call.ts'

const openFixture = async (t: TestContext, database: Database) => {
  const workers: Worker[] = []
  t.after(() => Promise.all(workers.map((worker) => worker.close())))
  const store = await openTestStore(t, database)
  const tasks = new Tasks()
  const idle = async (): Promise<void> => {
    await tasks.idle()
    await Promise.all(workers.map((worker) => worker.idle()))
  }
  const clock = new VirtualClock(undefined, idle)
  const failures: unknown[] = []
  const onFailure = (error: unknown): void => void failures.push(error)
  const parts = { store, clock, tasks, onFailure }
  const wakes = { count: 0 }
  const recover: RecoverDeps = {
    store,
    clock,
    onFailure,
    files: new ScriptedRecordings(),
    sayBye: () => Promise.resolve(),
    wake: () => void wakes.count++,
    ...lostWithProcess,
  }
  /** Starts the worker of the process that owns these sessions. */
  const startWorker = (survivor = new Leases(parts), more: Partial<RecoverDeps> = {}): void => {
    const worker = new Worker({
      store: more.store ?? store,
      clock,
      queue: ({ jobs }) => jobs,
      tasks: leaseJobs({ ...recover, ...more, survivor }),
      retryAfterMs: [1_000],
      pollIntervalMs: 1_000,
      onError: (_kind, error) => onFailure(error),
    })
    workers.push(worker)
    worker.start()
  }
  const input = { company: 'Example', country: 'DE', locale: 'de_DE', currency: 'EUR' } as const
  const accountId = await store.write((tables) => createAccount(tables, clock, input))
  const open = (leases: Leases, id: string): Promise<void> => {
    const session = { id, account_id: accountId, phone_number: '49301' }
    const opened = { id, accountId, flowId: 'f', session, startedAt: clock.now(), owner: leases.owner }
    return leases.hold(id, ({ sessions }) => sessions.open(opened))
  }
  const ends = async (): Promise<SessionEndMessage[]> => {
    const entries = await store.write(({ outbox }) => outbox.lease(['session_end'], clock.now(), 1_000, 1e12))
    return entries.map(({ payload }) => payload as SessionEndMessage)
  }
  return { store, accountId, clock, parts, recover, wakes, failures, startWorker, open, ends }
}

/** Simulates a crash: the lease is no longer renewed. */
const crash = (leases: Leases, ...ids: string[]): void => ids.forEach((id) => leases.release(id))

for (const database of bothDatabases) {
  test(`${database}: ends sessions of a lost process once after 15 seconds, and keeps those of others`, async (t) => {
    const { store, clock, parts, wakes, failures, startWorker, open, ends } = await openFixture(t, database)
    const [dying, living] = [new Leases(parts), new Leases(parts)]
    startWorker()
    startWorker()
    await Promise.all(Array.from({ length: 60 }, (_, nth) => open(dying, `d${nth}`)))
    await open(living, 'l')
    await clock.advance(60_000)
    assert.deepEqual(await ends(), [])
    crash(dying, ...Array.from({ length: 60 }, (_, nth) => `d${nth}`))
    await clock.advance(9_000)
    assert.deepEqual(await ends(), [])
    await clock.advance(9_000)
    const notified = await ends()
    assert.deepEqual(new Set(notified.map(({ event }) => event.sessionId)), new Set(Array.from({ length: 60 }, (_, nth) => `d${nth}`)))
    assert.equal(notified.length, 60)
    const [{ flowId, event } = assert.fail()] = notified
    assert.equal(flowId, 'f')
    assert.deepEqual(event.body.type === 'session_end' && [event.body.reason, event.body.session.phone_number], [
      'service_failure',
      '49301',
    ])
    assert.ok(event.sequence > 60)
    assert.ok(wakes.count > 0)
    await clock.advance(60_000)
    assert.deepEqual(await ends(), [])
    assert.deepEqual(
      (await store.read.leases.listOthers('')).map(({ owner }) => owner),
      [living.owner],
    )
    living.release('l')
    assert.deepEqual(failures, [])
  })

  test(`${database}: ends sessions of earlier runs at startup, except those already ended`, async (t) => {
    const { store, accountId, clock, parts, recover, open, ends } = await openFixture(t, database)
    const [earlier, now] = [new Leases(parts), new Leases(parts)]
    await Promise.all(Array.from({ length: 120 }, (_, nth) => open(earlier, `e${nth}`)))
    await open(now, 'n')
    const event = { id: 'x', sessionId: 'e0', accountId, sequence: 9, turn: 2, body: { type: 'session_end' } as never }
    const end = { id: 'e0', owner: earlier.owner, flowId: 'f', reason: 'caller_hangup', at: clock.now(), event } as const
    await store.write((tables) => writeEnd(tables, end))
    await recoverAll(recover, now.owner)
    await recoverAll(recover, now.owner)
    await store.write((tables) => writeEnd(tables, { ...end, event: { ...event, id: 'y' } }))
    const notified = await ends()
    assert.equal(notified.length, 120)
    assert.equal(new Set(notified.map((one) => one.event.sessionId)).size, 120)
    assert.equal(notified.find((one) => one.event.sessionId === 'e0')?.event.id, 'x')
    crash(earlier, ...Array.from({ length: 120 }, (_, nth) => `e${nth}`))
    now.release('n')
    assert.equal(clock.pending(), 0)
  })
}

test('keeps its sessions after a minute of sleep, and ends those of a process that did not wake up', async (t) => {
  const { clock, parts, startWorker, open, ends } = await openFixture(t, 'sqlite')
  const [awake, late, gone] = [new Leases(parts), new Leases(parts), new Leases(parts)]
  startWorker(awake)
  await open(awake, 'a')
  await open(gone, 'g')
  await clock.advance(2_000)
  await open(late, 'l')
  crash(gone, 'g')
  await clock.advance(1_500) // the recovery of lost calls wakes up first now
  await clock.jump(60_000)
  await clock.advance(30_000)
  assert.deepEqual(
    (await ends()).map(({ event }) => event.sessionId),
    ['g'],
  )
  awake.release('a')
  late.release('l')
})

test('lets every process renew its lease after a database outage', async (t) => {
  const { store, clock, parts, open, ends, startWorker } = await openFixture(t, 'sqlite')
  let away = false
  const write: typeof store.write = (work) => (away ? Promise.reject(new Error('away')) : store.write(work))
  const brittle = { ...store, write }
  const [here, there] = [new Leases({ ...parts, store: brittle }), new Leases({ ...parts, store: brittle })]
  startWorker(here, { store: brittle })
  await open(here, 'h')
  await clock.advance(4_900)
  await open(there, 't')
  away = true
  await clock.advance(60_000)
  away = false
  await clock.advance(60_000)
  assert.deepEqual(await ends(), [])
  here.release('h')
  there.release('t')
})

for (const database of bothDatabases)
  test(`${database}: recovers sessions of a lost process when the next process starts`, async (t) => {
    const { store, clock, parts, recover, startWorker, open, ends } = await openFixture(t, database)
    const [gone, here] = [new Leases(parts), new Leases(parts)]
    await open(gone, 'g')
    await open(here, 'h')
    crash(gone, 'g')
    await store.write(({ jobs }) => jobs.cancel(`lease:${gone.owner}`))
    startWorker()
    await clock.advance(60_000)
    assert.deepEqual(await ends(), [])
    await suspectAll(recover, 'the next one')
    await clock.advance(20_000)
    assert.deepEqual(
      (await ends()).map(({ event }) => event.sessionId),
      ['g'],
    )
    here.release('h')
  })

test('verifies held work once after a silence that makes others suspicious', async (t) => {
  const { clock, parts } = await openFixture(t, 'sqlite')
  const leases = new Leases(parts)
  let doubted = 0
  await leases.hold('first', () => Promise.resolve())
  await leases.hold(
    'second',
    () => Promise.resolve(),
    () => doubted++,
  )
  await clock.advance(60_000)
  await clock.jump(6_000)
  assert.equal(doubted, 0)
  await clock.jump(8_000)
  assert.equal(doubted, 1)
  await clock.advance(60_000)
  assert.equal(doubted, 1)
  leases.release('first')
  leases.release('second')
  await clock.advance(60_000)
  await leases.hold(
    'third',
    () => Promise.resolve(),
    () => doubted++,
  )
  assert.equal(doubted, 1, 'a process that had nothing has lost nothing')
  leases.release('third')
})

test('removes the lease of a process without work', async (t) => {
  const { store, clock, parts, open, startWorker } = await openFixture(t, 'sqlite')
  const leases = new Leases(parts)
  startWorker(leases)
  await open(leases, 's')
  assert.equal((await store.read.leases.listOthers('')).length, 1)
  leases.release('s')
  await clock.advance(30_000)
  assert.deepEqual(await store.read.leases.listOthers(''), [])
  await open(leases, 'again')
  assert.equal((await store.read.leases.find(leases.owner))?.until, clock.now() + 15_000)
  leases.release('again')
})

test('survives a short database outage, and removes ended sessions after a month', async (t) => {
  const { store, clock, parts, open, ends, startWorker, failures } = await openFixture(t, 'sqlite')
  let away = false
  const write: typeof store.write = (work) => (away ? Promise.reject(new Error('away')) : store.write(work))
  const leases = new Leases({ ...parts, store: { ...store, write } })
  startWorker()
  await open(leases, 's')
  away = true
  await clock.advance(12_000)
  away = false
  await clock.advance(30_000)
  assert.equal(failures.length, 2)
  assert.deepEqual(await ends(), [])
  await store.write((tables) =>
    writeEnd(tables, { id: 's', owner: leases.owner, flowId: 'f', reason: 'busy', at: clock.now(), event: undefined }),
  )
  assert.deepEqual(await ends(), [], 'it was not announced that it began')
  leases.release('s')
  const sweep = (days: number): Promise<unknown> => store.write((tables) => sessionSweep.run(tables, clock.now() + days * 86_400_000))
  assert.deepEqual([await sweep(29), await sweep(31)], [0, 1])
})
