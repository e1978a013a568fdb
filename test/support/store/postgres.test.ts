// test: own process
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { createDatabase, debianPrograms, startPostgres } from './postgres.ts'

async function ask(url: string, sql: string): Promise<unknown> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql)
    return rows[0] && Object.values(rows[0])[0]
  } finally {
    await client.end()
  }
}

const dataDirectory = async (url: string) => String(await ask(url, 'show data_directory')).replace(/\/data$/, '')

async function listens(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  }).then((answer) => (socket.destroy(), answer as boolean))
}

test('starts instances in parallel, makes fresh databases, and leaves nothing behind', async (t) => {
  const instances = await Promise.all([startPostgres(), startPostgres()])
  t.after(() => Promise.all(instances.map((instance) => instance.stop())))
  const [first, second] = instances
  assert.notEqual(first.url, second.url)
  assert.equal(await ask(first.url, 'select 1'), 1)
  assert.equal(await ask(first.url, 'show fsync'), 'on')

  const databases = await Promise.all(Array.from({ length: 4 }, () => createDatabase(first.url)))
  assert.equal(new Set(databases).size, 4)
  await ask(databases[0]!, 'create table only_here (id integer)')
  assert.equal(await ask(databases[0]!, "select to_regclass('only_here')::text"), 'only_here')
  assert.equal(await ask(databases[1]!, "select to_regclass('only_here')::text"), null)

  const directories = await Promise.all(instances.map(({ url }) => dataDirectory(url)))
  assert.notEqual(directories[0], directories[1])
  const leftOpen = new Client({ connectionString: second.url })
  leftOpen.on('error', () => {})
  await leftOpen.connect()
  await Promise.all([first.stop(), second.stop(), second.stop()])
  for (const directory of directories) assert.equal(existsSync(directory), false)
  for (const { url } of instances) assert.equal(await listens(url), false)
})

test('ends the server with a killed test process', async () => {
  const script = `import { startPostgres } from ${JSON.stringify(import.meta.resolve('./postgres.ts'))}
    console.log((await startPostgres()).url)
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const directory = await dataDirectory(url)
  assert.ok(existsSync(directory))
  child.kill('SIGKILL')
  // No process is left that could report the end of the server.
  for (let look = 0; look < 1_200 && existsSync(directory); look++) await pause(50)
  assert.equal(existsSync(directory), false)
  assert.equal(await listens(url), false)
})

test("works with Debian's PostgreSQL", async (t) => {
  if ((await debianPrograms()).length === 0) return t.skip('the Debian package postgresql is not installed')
  const postgres = await startPostgres(debianPrograms)
  t.after(() => postgres.stop())
  assert.equal(await ask(await createDatabase(postgres.url), 'select 1'), 1)
})

test('skips programs that do not run, and says what to do without any', async () => {
  await assert.rejects(
    startPostgres(async () => ['/nonexistent/bin']),
    /npm ci.*Debian's package postgresql[^]*\/nonexistent\/bin/,
  )
  await assert.rejects(
    startPostgres(async () => []),
    /npm ci/,
  )
})
