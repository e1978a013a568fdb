import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { countSqlite } from '#test/store/counted-sqlite.ts'
import { openTestStore } from '#test/store/databases.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { eventMaker } from '#test/http/customer-endpoint.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { beginEntry, DeliveryLog } from './attempt.ts'

const openLog = async (t: TestContext, wrap: (store: Store) => Store = (store) => store) => {
  const store = await openTestStore(t, 'sqlite')
  const clock = new VirtualClock()
  const errors: unknown[] = []
  const log = new DeliveryLog({ store: wrap(store), clock, onError: (error) => errors.push(error) })
  const next = eventMaker('a')
  const record = () => {
    const event = next('user_speak')
    beginEntry(log, () => clock.now(), { flowId: 'f', channel: 'webhook' }, event).omitted('no')
    return event
  }
  const rows = (limit = 100) => store.read.deliveries.list('a', 'f', { limit })
  return { store, clock, log, errors, record, rows }
}

test('writes entries in batches and in order, without delaying a delivery', async (t) => {
  let writes = 0
  const counting = (store: Store): Store => ({ ...store, write: (work) => (writes++, store.write(work)) })
  const { clock, log, record, rows } = await openLog(t, counting)
  const events = Array.from({ length: 50 }, record)
  assert.equal(writes, 0)
  await clock.advance(499)
  assert.equal((await rows()).length, 0)
  await clock.advance(1)
  await log.flush()
  assert.equal(writes, 1)
  assert.deepEqual(
    (await rows()).map(({ eventId }) => eventId).toReversed(),
    events.map(({ id }) => id),
  )
  record()
  await log.close()
  assert.equal((await rows()).length, 51)
  assert.equal(clock.pending(), 0)
})

test('amends entries before and after they are written', async (t) => {
  const { log, record, rows } = await openLog(t)
  const problem = (message: string) => ({ actions: ['speak'], problems: [{ index: 0, message }] })
  const { id } = record()
  log.amend(id, problem('first'))
  await log.flush()
  log.amend(id, problem('x'.repeat(10_000)))
  log.amend(id, { actions: [], problems: [] })
  log.amend('nobody', problem('lost'))
  await log.close()
  const [row] = await rows()
  assert.deepEqual(row?.actions, ['speak', 'speak'])
  assert.deepEqual(
    row?.problems.map(({ message }) => message.length),
    [5, 300],
  )
})

test('merges amendments into the latest unwritten attempt of their event', async (t) => {
  const { clock, log, record, rows } = await openLog(t)
  const counted = countSqlite(t)
  const event = record()
  log.amend(event.id, { actions: ['speak'], problems: [], error: 'too late' })
  beginEntry(log, () => clock.now(), { flowId: 'f', channel: 'webhook' }, event).omitted('again')
  log.amend(event.id, { actions: Array.from({ length: 150 }, () => 'hangup'), problems: [] })
  await log.close()
  assert.equal(counted.statements, 2, [...counted.kinds.keys()].join('\n'))
  const [second, first] = await rows()
  assert.deepEqual([first?.actions.length, second?.actions.length], [0, 100])
  assert.equal(second?.error, 'too late')
  assert.equal(second?.state, 'failed')
})

test('buffers a bounded number of entries while the database is unavailable', async (t) => {
  let away = true
  const fragile = (store: Store): Store => ({ ...store, write: (work) => (away ? Promise.reject(new Error('away')) : store.write(work)) })
  const { clock, log, record, rows, errors } = await openLog(t, fragile)
  for (let i = 0; i < 10_050; i++) record()
  await clock.advance(2_000)
  assert.equal(errors.length, 1)
  away = false
  await clock.advance(2_000)
  await log.close()
  assert.equal((await rows(20_000)).length, 10_000, 'the oldest are given up first')
  assert.equal(clock.pending(), 0)
})

test('generates rising ids within a millisecond and after a clock step back', () => {
  let now = 1_700_000_000_000
  const clock = { now: () => now, elapsed: () => now, after: () => () => {} }
  const log = new DeliveryLog({ store: {} as Store, clock, onError: () => {} })
  const ids = Array.from({ length: 1_000 }, (_, at) => {
    if (at === 500) now -= 5_000
    if (at === 800) now += 10_000
    return log.newId()
  })
  assert.deepEqual(ids.toSorted(), ids)
  assert.equal(new Set(ids.map(({ length }) => length)).size, 1)
})
