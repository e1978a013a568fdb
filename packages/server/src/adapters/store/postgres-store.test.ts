import assert from 'node:assert/strict'
import { basename } from 'node:path'
import { test, type TestContext } from 'node:test'
import { ApiError } from '@offhook/sdk'
import { Client } from 'pg'
import { freshPostgres } from '#test/store/databases.ts'
import { startWorld } from '#test/world/world.ts'
import { postgresStore } from './postgres-store.ts'

const unavailable = { name: 'StoreUnavailable' }

/** Simulates a restart for one database: every connection breaks, and for a while new ones fail. */
const openSwitch = async (t: TestContext, url: string) => {
  const name = basename(new URL(url).pathname)
  const admin = new Client({ connectionString: new URL('/postgres', url).href })
  await admin.connect()
  t.after(() => admin.end())
  return {
    async down() {
      await admin.query(`alter database ${name} with allow_connections false`)
      await admin.query(`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`)
    },
    up: () => admin.query(`alter database ${name} with allow_connections true`),
  }
}

test('a restart of PostgreSQL fails only the running transactions', async (t) => {
  const url = await freshPostgres()
  const broken = Promise.withResolvers<Error>()
  const store = await postgresStore(url, { onError: broken.resolve })
  t.after(() => store.close())
  // A query learns of its broken connection by itself; more connections than queries leave one whose break is reported.
  await Promise.all(Array.from({ length: 6 }, () => store.read.settings.get('half')))
  const power = await openSwitch(t, url)
  const interrupted = store.write(async ({ settings }) => {
    await settings.setOnce('half', 'written')
    await power.down()
    await settings.setOnce('other half', 'written')
  })
  await assert.rejects(interrupted, unavailable)
  await assert.rejects(store.read.settings.get('half'), unavailable)
  await assert.rejects(
    store.write(({ settings }) => settings.setOnce('half', 'again')),
    unavailable,
  )
  assert.ok(await broken.promise)
  await power.up()
  assert.equal(await store.read.settings.get('half'), undefined)
  assert.equal(await store.write(({ settings }) => settings.setOnce('half', 'whole')), true)
})

test('a process that stalls inside a transaction does not lock its rows for good', async (t) => {
  const url = await freshPostgres()
  const other = await postgresStore(url)
  const still = await postgresStore(url, { limits: { standstillMs: 200 } })
  t.after(() => Promise.all([still.close(), other.close()]))
  const wakes = Promise.withResolvers<void>()
  const standStill = () => {
    const inside = Promise.withResolvers<boolean>()
    const standing = still.write(async ({ settings }) => {
      await settings.setOnce('row', 'of the one who stands still')
      inside.resolve(true)
      await wakes.promise
      await settings.setOnce('more', 'too late')
    })
    standing.catch(() => inside.resolve(false))
    return { standing, inside: inside.promise }
  }
  let { standing, inside } = standStill()
  // On a busy machine it may stall before it has locked the row.
  while (!(await inside)) ({ standing, inside } = standStill())
  assert.equal(await other.write(({ settings }) => settings.setOnce('row', 'of the other')), true)
  wakes.resolve()
  await assert.rejects(standing, unavailable)
  assert.equal(await still.read.settings.get('row'), 'of the other')
})

test('requests get 503 with Retry-After while the database is unavailable', async (t) => {
  const DATABASE_URL = await freshPostgres()
  const world = await startWorld(t, { settings: { DATABASE_URL } })
  const ada = await world.newAccount()
  const power = await openSwitch(t, DATABASE_URL)
  await power.down()
  const reply = await fetch(`${world.url}/v1/users`, { headers: { authorization: `Bearer ${ada.token}` } })
  assert.equal(reply.status, 503)
  assert.equal(reply.headers.get('retry-after'), '5')
  assert.equal(((await reply.json()) as { code: string }).code, 'unavailable')
  assert.equal((await fetch(`${world.url}/ready`)).status, 503)
  assert.equal((await fetch(`${world.url}/health`)).status, 200, 'its calls go on')
  await power.up()
  assert.equal((await ada.api.listUsers()).items.length, 1)
  assert.equal((await fetch(`${world.url}/ready`)).status, 200)
})

test('reports a full PostgreSQL disk as storage_full until the next write succeeds', async (t) => {
  const DATABASE_URL = await freshPostgres()
  const world = await startWorld(t, { settings: { DATABASE_URL } })
  const ada = await world.newAccount()
  const admin = new Client({ connectionString: DATABASE_URL })
  await admin.connect()
  t.after(() => admin.end())
  // PostgreSQL's own error: could not extend file, class 53, 53100.
  await admin.query(`create function full_disk() returns trigger language plpgsql
    as $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`)
  await admin.query('create trigger full_disk before insert on contact execute function full_disk()')
  const add = () => ada.api.createContact({}, { name: 'Grace' })
  await assert.rejects(add(), ({ status, body }: ApiError) => status === 507 && body.code === 'storage_full')
  assert.equal((await fetch(`${world.url}/ready`)).status, 503)
  await admin.query('drop trigger full_disk on contact')
  await add()
  assert.equal((await fetch(`${world.url}/ready`)).status, 200)
})
