import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { text } from 'node:stream/consumers'
import { Client } from 'pg'
import { postgresStore } from '#adapters/store/postgres-store.ts'
import { needs } from '#test/peers/debian.ts'
import { startPgbouncer } from '#test/peers/pgbouncer.ts'
import { emptyPostgres, freshPostgres, temporaryFolder } from '#test/store/databases.ts'
import { sharedPostgres, socketSetting } from '#test/store/migrated-postgres.ts'

const root = join(import.meta.dirname, '../..')

/** Tests that cover every kind of write: conditional updates, locks, leases, jobs, money, call files, whole services over HTTP. */
const representative = [
  'test/store.test.ts',
  'packages/server/src/adapters/store/append-only.test.ts',
  'packages/server/src/adapters/store/assistant-tables.test.ts',
  'packages/server/src/adapters/store/push-tables.test.ts',
  'packages/server/src/core/kernel/work/leases.test.ts',
  'packages/server/src/core/kernel/work/worker.test.ts',
  'packages/server/src/core/money/reservations.test.ts',
  'packages/server/src/http/v1/contacts.test.ts',
  'packages/server/src/http/v1/devices.test.ts',
]

test('needs no session: passes the store tests behind PgBouncer in transaction mode', async (t) => {
  if (!(await needs(t, 'pgbouncer'))) return
  const url = await startPgbouncer(t, await sharedPostgres())
  const socket = join(await temporaryFolder(t), 'postgres.sock')
  const server = createServer((asked) => void asked.on('error', () => {}).end(JSON.stringify({ url }))).listen(socket)
  await once(server, 'listening')
  t.after(() => server.close())
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env
  const child = spawn(process.execPath, ['--test', '--test-isolation=none', ...representative], {
    cwd: root,
    env: { ...environment, [socketSetting]: socket },
  })
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  assert.equal(code, 0, output.slice(-5_000))
  assert.match(output, /^ℹ pass [1-9]\d/m)
})

test('starts several processes concurrently behind PgBouncer on an empty database, and leaves no lock', async (t) => {
  if (!(await needs(t, 'pgbouncer'))) return
  const direct = await emptyPostgres()
  const url = await startPgbouncer(t, direct)
  const stores = await Promise.all(Array.from({ length: 4 }, () => postgresStore(url, { connections: 2 })))
  await Promise.all(stores.map((store) => store.write(({ settings }) => settings.setOnce('row', 'of one'))))
  const raw = new Client({ connectionString: direct })
  await raw.connect()
  const { rows } = await raw.query("select count(*)::int as left from pg_locks where locktype = 'advisory'")
  assert.deepEqual(rows, [{ left: 0 }])
  await raw.end()
  await Promise.all(stores.map((store) => store.close()))
})

test('rolls back a stalled transaction behind PgBouncer', async (t) => {
  if (!(await needs(t, 'pgbouncer'))) return
  const store = await postgresStore(await startPgbouncer(t, await freshPostgres()), { limits: { standstillMs: 200 } })
  t.after(() => store.close())
  assert.equal(store.reach.room, undefined)
  const wakes = Promise.withResolvers<void>()
  const inside = Promise.withResolvers<void>()
  const standing = store.write(async ({ settings }) => {
    await settings.setOnce('row', 'of the one who stands still')
    inside.resolve()
    await wakes.promise
    await settings.setOnce('more', 'too late')
  })
  await Promise.race([inside.promise, standing.catch(() => {})])
  assert.equal(await store.write(({ settings }) => settings.setOnce('row', 'of the other')), true)
  wakes.resolve()
  await assert.rejects(standing, { name: 'StoreUnavailable' })
})
