import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { bothDatabases, openTestStore } from '#test/store/databases.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { CallClock, SandboxClock } from '#adapters/clock/clocks.ts'
import { openClocks } from '#wiring/platform.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { Worker, type Task } from '#core/kernel/work/worker.ts'
import { Sandbox } from './sandbox.ts'

const day = 24 * 3_600_000
const nothing = () => Promise.resolve()

/** One process of an installation. */
const startProcess = async (store: Store, wall: VirtualClock, tasks: Record<string, Task> = {}) => {
  const clock = new SandboxClock(wall)
  const callClock = new CallClock(wall, clock)
  const state = { talks: false }
  const failures: unknown[] = []
  const fail = (_kind: string, error: unknown) => failures.push(error)
  const queue = { queue: (tables: Store['read']) => tables.jobs, retryAfterMs: [1_000], pollIntervalMs: 365 * day, onError: fail }
  const waiting = new Worker({ store, clock, wallClock: wall, tasks, ...queue })
  const owner = randomUUID()
  const calls = { callClock, talks: () => state.talks, owner }
  const sandbox = new Sandbox({ store, clock, wallClock: wall, waiting, ...calls, onError: (error) => failures.push(error) })
  sandbox.start()
  waiting.start()
  const close = async () => {
    await sandbox.close()
    await waiting.close()
  }
  return { owner, clock, callClock, sandbox, waiting, state, failures, close }
}

for (const database of bothDatabases) {
  test(`${database}: shares one time across processes and restarts, and adds up concurrent requests`, async (t) => {
    const store = await openTestStore(t, database)
    const wall = new VirtualClock(day)
    let done = 0
    const one = await startProcess(store, wall, { due: async () => void done++ })
    const other = await startProcess(store, wall, { due: async () => void done++ })
    await store.write(({ jobs }) => jobs.schedule({ id: 'due', kind: 'due', payload: {}, dueAt: 1.5 * day }))
    const forward = ({ sandbox }: typeof one, ms: number) => sandbox.putForward(ms, nothing)
    await Promise.all([forward(one, day), forward(other, day), forward(one, day)])
    await wall.advance(1_000)
    await Promise.all([one.sandbox.idle(), other.sandbox.idle()])
    assert.deepEqual([one.clock.aheadMs, other.clock.aheadMs], [3 * day, 3 * day], 'several at once add up')
    assert.equal(done, 1)
    await Promise.all([one.close(), other.close()])
    assert.equal(wall.pending(), 0)
    const { clock, callClock, wallClock } = await openClocks(wall, store, true)
    assert.deepEqual([clock.now() - wallClock.now(), callClock.now() - wallClock.now()], [3 * day, 3 * day])
    await assert.rejects(openClocks(wall, store, false), /4320 minutes ahead. Set OFFHOOK_SANDBOX=on/)
    assert.deepEqual([...one.failures, ...other.failures], [])
  })
}

test('does not lengthen a running call; the next one uses the new time', async (t) => {
  const store = await openTestStore(t, 'sqlite')
  const wall = new VirtualClock(day)
  const { sandbox, clock, callClock, state, close } = await startProcess(store, wall)
  state.talks = true
  const answeredAt = callClock.now()
  await sandbox.putForward(day, nothing)
  await wall.advance(5_000)
  assert.equal(callClock.now() - answeredAt, 5_000)
  state.talks = false
  await sandbox.idle()
  await wall.advance(1_000)
  await sandbox.idle()
  assert.equal(callClock.now(), clock.now())
  await close()
})

test('keeps the call clock while another process has calls, even if it appears silent after the leap', async (t) => {
  const store = await openTestStore(t, 'sqlite')
  const wall = new VirtualClock(day)
  const [one, other] = [await startProcess(store, wall), await startProcess(store, wall)]
  one.state.talks = true
  const lease = { owner: one.owner, until: one.callClock.now() + 15_000 }
  await store.write(({ leases }) => leases.renew(lease))
  await other.sandbox.putForward(day, nothing)
  assert.deepEqual([one.callClock.now(), other.callClock.now(), other.clock.now()], [day, day, 2 * day])
  one.state.talks = false
  await store.write(({ leases }) => leases.remove(lease))
  for (const { sandbox } of [one, other]) await sandbox.putForward(1, nothing)
  assert.equal(other.callClock.now(), other.clock.now())
  await Promise.all([one.close(), other.close()])
})

test('takes no leased work from a process, and runs follow-up work at its own time', async (t) => {
  const store = await openTestStore(t, 'sqlite')
  const wall = new VirtualClock(day)
  const done: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const one = await startProcess(store, wall, { long: () => promise.then(() => void done.push('long')) })
  const other = await startProcess(store, wall, {
    long: async () => assert.fail('it is in other hands'),
    chain: async () => {
      done.push(`chain at ${other.clock.now() / day}`)
      const dueAt = other.clock.now() + day
      await store.write(({ jobs }) => jobs.schedule({ id: 'chain', kind: 'chain', payload: {}, dueAt }))
    },
  })
  await store.write(({ jobs }) => jobs.schedule({ id: 'long', kind: 'long', payload: {}, dueAt: day }))
  one.waiting.wake()
  await wall.advance(0)
  await store.write(({ jobs }) => jobs.schedule({ id: 'chain', kind: 'chain', payload: {}, dueAt: 2 * day }))
  await other.sandbox.putForward(3.5 * day, nothing)
  assert.deepEqual(done, ['chain at 2', 'chain at 3', 'chain at 4'])
  resolve()
  await one.waiting.idle()
  assert.equal(done.at(-1), 'long')
  await Promise.all([one.close(), other.close()])
})
