import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { readMetrics } from '#test/http/read-metrics.ts'
import { startDatabaseProxy } from '#test/store/database-proxy.ts'
import { freshPostgres } from '#test/store/databases.ts'
import { bothDatabases, startWorld, type World, type WorldOptions } from '#test/world/world.ts'

const withMetrics = (t: TestContext, { settings = {}, ...options }: WorldOptions): Promise<World> =>
  startWorld(t, { ...options, settings: { OFFHOOK_METRICS_TOKEN: 'scrape-me', ...settings } })

const read = (world: World): Promise<Map<string, number>> => readMetrics(world.url, 'scrape-me')

for (const database of bothDatabases) {
  test(`${database}: counts queued work by kind with age and delay, reading at most every ten seconds`, async (t) => {
    const world = await withMetrics(t, { database })
    const put = (id: string, at: number) => world.write(({ outbox }) => outbox.put({ id, kind: 'nobody', payload: {}, at }))
    const now = world.clock.now()
    for (const [index, late] of [90_000, 30_000, 0].entries()) await put(`waiting-${index}`, now - late)
    await put('dead', now)
    await put('sent', now)
    await world.write(async ({ outbox, jobs }) => {
      await outbox.giveUp('dead', 'nobody there')
      await outbox.done('sent')
      await outbox.retry('waiting-0', now + 60_000, 'later')
      await jobs.schedule({ id: 'late', kind: 'nobody', payload: {}, dueAt: now - 20_000 })
    })
    const first = await read(world)
    const of = (name: string): number | undefined => first.get(`offhook_${name}{kind="nobody"}`)
    assert.deepEqual(
      ['outbox_pending', 'outbox_oldest_seconds', 'outbox_overdue_seconds', 'outbox_dead', 'jobs_pending'].map(of),
      [3, 90, 30, 1, 1],
    )
    assert.deepEqual(
      [first.get('offhook_jobs_overdue_seconds'), first.get('offhook_registrations'), first.get('offhook_store_up')],
      [20, 0, 1],
    )
    assert.ok((first.get('offhook_db_write_seconds_count') ?? 0) >= 4)
    assert.equal(first.has('offhook_db_pool_size'), database === 'postgres')
    assert.equal((first.get('offhook_db_query_seconds_count') ?? 0) > 10, database === 'postgres')
    await put('another', now)
    assert.equal((await read(world)).get('offhook_outbox_pending{kind="nobody"}'), 3)
    await world.clock.advance(10_000)
    assert.equal((await read(world)).get('offhook_outbox_pending{kind="nobody"}'), 4)
  })
}

test('serves the page without store metrics while the database is unavailable', async (t) => {
  const proxy = await startDatabaseProxy(t, await freshPostgres())
  const world = await withMetrics(t, { settings: { DATABASE_URL: proxy.url } })
  const reach = world.running.deps.store.reach ?? assert.fail()
  assert.equal((await read(world)).get('offhook_registrations'), 0)
  proxy.refuse()
  await reach.now().catch(() => {})
  await world.clock.advance(10_000)
  const away = await read(world)
  assert.deepEqual(
    [away.get('offhook_store_up'), away.has('offhook_registrations'), away.has('offhook_calls_started_total')],
    [0, false, true],
  )
  proxy.heal()
  while (!(await reach.answers())) await new Promise((resolve) => setImmediate(resolve))
  await world.clock.advance(10_000)
  const back = await read(world)
  assert.deepEqual([back.get('offhook_store_up'), back.get('offhook_registrations')], [1, 0])
})
