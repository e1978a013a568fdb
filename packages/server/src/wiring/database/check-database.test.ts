import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Store, StoreReach } from '#core/kernel/ports/store/index.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { checkDatabase } from '../main.ts'

/** `there`: time of the database, once it answers. */
const openCheck = async (there: (clock: VirtualClock) => Promise<number>, processes = 1) => {
  const clock = new VirtualClock()
  const logged: [event: string, fields: unknown][] = []
  const reach: StoreReach = { awayMs: 0, answers: async () => true, now: () => there(clock), room: 40, watch: () => () => {} }
  const read = { nodes: { list: async () => Array.from({ length: processes }) } } as unknown as Store['read']
  const log = (event: string, fields?: unknown): void => void logged.push([event, fields])
  const check = await checkDatabase({ settings: { OFFHOOK_DB_POOL: 10 }, store: { read, reach }, wallClock: clock, log })
  return { clock, logged, check: check ?? assert.fail('not checked') }
}

test('logs a differing database clock at the start and every ten minutes, and pools that are too large together', async () => {
  let ahead = 3_000
  const { clock, logged, check } = await openCheck(async (here) => here.now() + ahead, 4)
  assert.deepEqual(logged, [
    ['database_pool_too_large', { processes: 4, pool: 10, maxConnections: 40 }],
    ['database_clock_differs', { seconds: 3 }],
  ])
  ahead = 1_000
  await clock.advance(600_000)
  ahead = -5_000
  await clock.advance(600_000)
  assert.deepEqual(logged.slice(2), [['database_clock_differs', { seconds: -5 }]])
  await check.close()
  assert.deepEqual(clock.left(), [])
})

test('waits for a pending query at close and does not repeat it', async () => {
  let answers: PromiseWithResolvers<number> | undefined
  const { clock, check } = await openCheck(async (here) => answers?.promise ?? here.now())
  answers = Promise.withResolvers()
  await clock.jump(600_000)
  let closed = false
  const closing = check.close().then(() => (closed = true))
  await clock.advance(0)
  assert.equal(closed, false)
  answers.resolve(clock.now())
  await closing
  assert.deepEqual(clock.left(), [])
})
