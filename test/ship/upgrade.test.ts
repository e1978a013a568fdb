import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { offhook, output, ourRoot, ready, type Program } from '#test/machine/program.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { exchangeAt, notesIn, type Exchange } from '#test/service/exchange.ts'
import { lastRelease } from '#test/ship/last-release.ts'
import { recordsOf, logIn, openOffice, recordedCall, type Books, type Office } from '#test/ship/office.ts'
import { emptyPostgres } from '#test/store/databases.ts'

const start = async (t: TestContext, root: string, settings: Record<string, string>): Promise<Exchange> => {
  const quiet = { OFFHOOK_LOG: 'error', OFFHOOK_RATE_LIMIT: '0', OFFHOOK_DRAIN_SECONDS: '0' }
  const program = offhook(t, ['serve'], { ...quiet, ...settings }, root)
  const { http, sip } = await ready(program)
  const data = settings.OFFHOOK_DATA ?? ''
  return exchangeAt(program, { http, sip: sip.replace('sip:', ''), data, notes: await notesIn(data) })
}

const stop = async ({ program }: Exchange): Promise<void> => {
  program.child.kill('SIGTERM')
  assert.equal(await program.ended, 0)
  assert.deepEqual(complaints(program), [])
}

/** Errors in its log, except for intentionally missing parts. */
const complaints = ({ written }: Program): string[] =>
  written.stderr.split('\n').filter((line) => /^\{"level":[56]0,/.test(line) && !line.includes('"bus_missing"'))

const books = ({ admin, http }: Exchange): Promise<Books> => recordsOf(admin, http)

/** Creates data of every persistent kind. */
const work = async (t: TestContext, exchange: Exchange, office: Office, name: string): Promise<void> => {
  const { admin, operator, accountId } = exchange
  await recordedCall(t, exchange, office)
  await operator.topUpBalance({ accountId }, { amount: 10_000, reason: name, idempotencyKey: name })
  await admin.createContact({}, { name })
  await admin.createFlow({}, { name, webhookUrl: 'https://assistant.example/' })
}

const checkUpgrade = async (t: TestContext, settings: Record<string, string>): Promise<string> => {
  const [code, said, complaint] = await output(offhook(t, ['upgrade', '--check'], settings))
  assert.equal(code, 0, said + complaint)
  return said
}

const flowsOf = async ({ admin }: Exchange): Promise<string[]> => (await admin.listFlows({})).items.map(({ name }) => name).toSorted()

const added = (now: Books, before: Books): number[] => [
  now.history.length - before.history.length,
  now.contacts.length - before.contacts.length,
]

test('SQLite: reads data of the last release in this version, and data of this version in the last release', async (t) => {
  const last = await lastRelease(t)
  if (!last) return
  const OFFHOOK_DATA = join(await temporaryFolder(t), 'data')
  const old = await start(t, last.root, { OFFHOOK_DATA })
  const office = await openOffice(old)
  await work(t, old, office, 'by the old one')
  const first = await books(old)
  const flows = await flowsOf(old)
  assert.match(await checkUpgrade(t, { OFFHOOK_DATA }), /can work with it/)
  await stop(old)

  const fresh = await start(t, ourRoot, { OFFHOOK_DATA })
  assert.deepEqual([await books(fresh), await flowsOf(fresh)], [first, flows])
  assert.equal(await logIn(fresh.http, await notesIn(OFFHOOK_DATA)), 200)
  await work(t, fresh, office, 'by the new one')
  const second = await books(fresh)
  assert.deepEqual(added(second, first), [1, 1])
  await stop(fresh)

  const again = await start(t, last.root, { OFFHOOK_DATA })
  assert.deepEqual([await books(again), await flowsOf(again)], [second, [...flows, 'by the new one'].toSorted()])
  await work(t, again, office, 'by the old one again')
  assert.deepEqual(added(await books(again), second), [1, 1])
  await stop(again)
})

test('PostgreSQL: runs both versions concurrently on this schema, and the last release takes over again', async (t) => {
  const last = await lastRelease(t)
  if (!last) return
  // One folder for the files of both, as on a shared disk.
  const OFFHOOK_DATA = join(await temporaryFolder(t), 'data')
  await mkdir(OFFHOOK_DATA)
  const installation = { OFFHOOK_DATA, DATABASE_URL: await emptyPostgres(), OFFHOOK_SECRET_KEY: randomBytes(32).toString('base64') }
  const old = await start(t, last.root, installation)
  const office = await openOffice(old)
  await work(t, old, office, 'by the old one')
  const first = await books(old)
  assert.match(await checkUpgrade(t, installation), /versions of release \d+ and newer work beside it and after it/)

  const fresh = await start(t, ourRoot, { ...installation, OFFHOOK_SIP: '127.0.0.2:0' })
  assert.deepEqual(await books(fresh), first)
  await work(t, fresh, await openOffice(fresh), 'by the new one')
  await work(t, old, office, 'by the old one beside it')
  const second = await books(old)
  assert.deepEqual([added(second, first), await books(fresh)], [[2, 2], second])
  await stop(old)

  await work(t, fresh, office, 'by the new one alone')
  const third = await books(fresh)
  await stop(fresh)
  const again = await start(t, last.root, installation)
  assert.deepEqual(await books(again), third)
  await work(t, again, office, 'by the old one again')
  assert.deepEqual(added(await books(again), third), [1, 1])
  await stop(again)
})
