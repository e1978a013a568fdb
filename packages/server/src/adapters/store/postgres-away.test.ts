import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { Client } from 'pg'
import type { StoreReach } from '#core/kernel/ports/store/index.ts'
import { startDatabaseProxy } from '#test/store/database-proxy.ts'
import { freshPostgres } from '#test/store/databases.ts'
import { postgresStore } from './postgres-store.ts'

const unavailable = { name: 'StoreUnavailable' }

const openBehindProxy = async (t: TestContext, queryMs = 300) => {
  const url = await freshPostgres()
  const proxy = await startDatabaseProxy(t, url)
  const store = await postgresStore(proxy.url, { limits: { queryMs }, connections: 3 })
  t.after(() => store.close())
  const notified: boolean[] = []
  store.reach.watch((away) => notified.push(away))
  return { url, proxy, store, told: notified }
}

const changed = (reach: StoreReach): Promise<boolean> =>
  new Promise((resolve) => {
    const stop = reach.watch((away) => {
      stop()
      resolve(away)
    })
  })

test('detects a stopped database, polls it, and detects its return', async (t) => {
  const { proxy, store, told: notified } = await openBehindProxy(t)
  assert.equal(await store.reach.answers(), true)
  const gone = changed(store.reach)
  proxy.refuse()
  await assert.rejects(store.read.settings.get('x'), unavailable)
  assert.equal(await gone, true)
  assert.equal(await store.reach.answers(), false)
  assert.ok(store.reach.awayMs > 0)
  const back = changed(store.reach)
  proxy.heal()
  assert.equal(await back, false)
  assert.equal(store.reach.awayMs, 0)
  assert.equal(await store.read.settings.get('x'), undefined)
  assert.deepEqual(notified, [true, false])
})

test('rejects queries on half-open connections and discards them', async (t) => {
  const { proxy, store } = await openBehindProxy(t)
  const gone = changed(store.reach)
  const halfWay = store.write(async ({ settings }) => {
    await settings.setOnce('half', 'written')
    proxy.swallow()
    await settings.setOnce('other half', 'written')
  })
  await assert.rejects(halfWay, unavailable)
  assert.equal(await gone, true)
  const startedAt = performance.now()
  await assert.rejects(store.read.settings.get('half'), unavailable)
  assert.ok(performance.now() - startedAt < 250, 'it is not waited for what will not come')
  const back = changed(store.reach)
  proxy.heal()
  await back
  assert.equal(await store.read.settings.get('half'), undefined)
  assert.equal(await store.write(({ settings }) => settings.setOnce('half', 'whole')), true)
})

test('a slow database does not count as unavailable', async (t) => {
  const { proxy, store, told: notified } = await openBehindProxy(t, 5_000)
  proxy.slow(200)
  assert.equal(await store.write(({ settings }) => settings.setOnce('slowly', 'written')), true)
  assert.equal(await store.read.settings.get('slowly'), 'written')
  assert.equal(await store.reach.answers(), true)
  assert.deepEqual(notified, [])
})

test('a lock timeout fails its query without marking the database unavailable', async (t) => {
  const { url, store, told: notified } = await openBehindProxy(t)
  await store.write(({ settings }) => settings.setOnce('row', 'mine'))
  const other = new Client({ connectionString: url })
  await other.connect()
  t.after(() => other.end())
  await other.query('begin')
  await other.query('lock table setting in exclusive mode')
  await assert.rejects(
    store.write(({ settings }) => settings.setOnce('another', 'row')),
    unavailable,
  )
  await other.query('rollback')
  assert.equal(await store.reach.answers(), true)
  assert.equal(await store.read.settings.get('row'), 'mine')
  assert.deepEqual(notified, [])
})

test("reads PostgreSQL's own connection limit", async (t) => {
  const { store } = await openBehindProxy(t)
  assert.ok((store.reach.room ?? 0) > 10)
})
