import assert from 'node:assert/strict'
import { rename, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { createClient } from '@offhook/sdk'
import { bothDatabases, emptyPostgres, temporaryFolder } from '#test/store/databases.ts'
import { startWorld } from '#test/world/world.ts'
import { readSettings } from '#settings/config.ts'
import type { FirstRunNotes } from './first-start.ts'
import { start, type Running } from '#wiring/main.ts'

const readNotes = async (folder: string): Promise<FirstRunNotes> =>
  JSON.parse(await readFile(join(folder, 'first-run.json'), 'utf8')) as FirstRunNotes

/** Starts on a folder that may have been used before. */
const startOn = async (t: TestContext, settings: Record<string, string>): Promise<Running> => {
  const quiet = { OFFHOOK_HTTP: '127.0.0.1:0', OFFHOOK_SIP: '127.0.0.1:0', OFFHOOK_SPEECH: 'off' }
  const running = await start(readSettings({ ...quiet, ...settings }), { log: () => {} })
  t.after(() => running.close())
  return running
}

for (const database of bothDatabases) {
  test(`${database}: creates a complete demo account and a private file with its logins`, async (t) => {
    const world = await startWorld(t, { database, settings: { OFFHOOK_DEMO: 'on' } })
    const { url, data, running } = world
    assert.deepEqual(
      (await readdir(data)).filter((name) => name.startsWith('first-run')),
      ['first-run.json'],
    )
    assert.equal((await stat(join(data, 'first-run.json'))).mode & 0o777, 0o600)
    const notes = await readNotes(data)
    assert.deepEqual(running.firstStart, { file: join(data, 'first-run.json'), notes })
    assert.deepEqual([notes.console, notes.baseUrl, notes.authUrl], [`${url}/console/`, url, `${url}/login`])
    assert.match(notes.number ?? '', /^\+493023125\d{3}$/)

    const { store, passwords, vault } = running.deps
    const { accountId = '' } = notes
    const account = await store.read.accounts.find(accountId)
    assert.deepEqual([account?.verified, account?.outboundEnabled, account?.country], [true, false, 'DE'])
    assert.deepEqual(await world.client(notes.token).getAccount(), {
      company: 'Demo',
      mainProductType: 'TEAM',
      logoUrl: '',
      verified: true,
      country: 'DE',
      locale: 'en_US',
    })
    assert.deepEqual(
      (await world.client(notes.operator.token).listAccounts()).items.map(({ id }) => id),
      [accountId],
    )

    const login = await store.read.users.findCredentials('demo@offhook.local')
    assert.equal(login?.accountId, accountId)
    assert.equal(await passwords.matches(notes.password ?? '', login?.passwordHash), true)
    const operator = await store.read.operators.findCredentials('operator@offhook.local')
    assert.equal(await passwords.matches(notes.operator.password, operator?.passwordHash), true)

    const phone = await store.read.devices.find(accountId, 'e0')
    assert.equal(notes.sip?.user, phone?.sip?.username)
    assert.equal(notes.sip?.password, vault.open(phone?.sip?.passwordSealed ?? ''))
    assert.equal(`sip:${notes.sip?.server}`, running.sip)
    const number = await store.read.numbers.findCallable(notes.number ?? '')
    assert.deepEqual([number?.accountId, number?.state, number?.flowId], [accountId, 'ACTIVE', notes.flowId])
    assert.equal((await store.read.flows.find(accountId, notes.flowId ?? ''))?.settings.webhookUrl, 'demo:assistant')
    const balance = await store.read.balances.find(accountId)
    assert.deepEqual([balance?.amount, balance?.currency], [100_000, 'EUR'])
    assert.equal((await store.read.tariffs.find(account?.tariffId ?? ''))?.currency, 'EUR')
    assert.deepEqual((await world.client(notes.operator.token).verifyAudit()).broken, [])
  })

  test(`${database}: creates only the operator without the demo, and nothing at a second start`, async (t) => {
    const OFFHOOK_DATA = await temporaryFolder(t)
    const settings = { OFFHOOK_DATA, ...(database === 'postgres' && { DATABASE_URL: await emptyPostgres() }) }
    const first = await startOn(t, { ...settings, OFFHOOK_DEMO: 'off' })
    const notes = await readNotes(OFFHOOK_DATA)
    assert.deepEqual(Object.keys(notes), ['console', 'baseUrl', 'authUrl', 'operator'])
    const api = createClient({ baseUrl: first.http, token: notes.operator.token })
    assert.deepEqual((await api.listAccounts()).items, [])
    await first.close()

    const second = await startOn(t, { ...settings, OFFHOOK_DEMO: 'on' })
    assert.deepEqual(second.firstStart, { file: join(OFFHOOK_DATA, 'first-run.json'), notes: undefined })
    assert.deepEqual(await readNotes(OFFHOOK_DATA), notes)
    assert.deepEqual((await createClient({ baseUrl: second.http, token: notes.operator.token }).listAccounts()).items, [])
  })
}

test('runs the first start in one of several processes that start together on PostgreSQL', async (t) => {
  const DATABASE_URL = await emptyPostgres()
  const folders = await Promise.all([1, 2, 3].map(() => temporaryFolder(t)))
  const started = await Promise.all(folders.map((OFFHOOK_DATA) => startOn(t, { DATABASE_URL, OFFHOOK_DATA, OFFHOOK_SECRET_KEY: key })))
  const made = started.filter(({ firstStart }) => firstStart.notes !== undefined)
  assert.equal(made.length, 1)
  assert.deepEqual(
    started.filter(({ firstStart }) => firstStart.file !== undefined),
    made,
  )
  assert.equal((await started[0]?.deps.store.read.accounts.list({ after: '', limit: 10 }))?.length, 1)
})

test('creates nothing when the file cannot be written, so that the next start is the first', async (t) => {
  const DATABASE_URL = await emptyPostgres()
  const folder = await temporaryFolder(t)
  const blocked = join(folder, 'a-file')
  await writeFile(blocked, '')
  await assert.rejects(startOn(t, { DATABASE_URL, OFFHOOK_DATA: join(blocked, 'data'), OFFHOOK_SECRET_KEY: key }), {
    name: 'CannotStart',
    message: /^The data folder .* cannot be used: ENOTDIR/,
  })
  const next = await startOn(t, { DATABASE_URL, OFFHOOK_DATA: folder, OFFHOOK_SECRET_KEY: key })
  assert.ok(next.firstStart.notes)
})

test('finishes an interrupted first start at the next start', async (t) => {
  const OFFHOOK_DATA = await temporaryFolder(t)
  const first = await startOn(t, { OFFHOOK_DATA })
  const notes = await readNotes(OFFHOOK_DATA)
  const id = await first.deps.store.read.settings.get('first_run')
  await first.close()
  const file = join(OFFHOOK_DATA, 'first-run.json')
  await rename(file, `${file}.${id}`)
  await writeFile(`${file}.of-another-try`, '{}')

  const second = await startOn(t, { OFFHOOK_DATA })
  assert.equal(second.firstStart.file, file)
  assert.deepEqual(await readNotes(OFFHOOK_DATA), notes)
})

const key = Buffer.alloc(32, 7).toString('base64')

test('loads no modules that only some installations need, or need later', () => {
  const loaded = Object.keys(createRequire(import.meta.url).cache)
  assert.ok(loaded.some((file) => file.includes('/node_modules/fastify/')))
  for (const later of ['nodemailer', '@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler'])
    assert.ok(!loaded.some((file) => file.includes(`/node_modules/${later}/`)), later)
})
