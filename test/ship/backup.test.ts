import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, statSync } from 'node:fs'
import { readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { until } from '#test/machine/peer-process.ts'
import { offhook, output, ready } from '#test/machine/program.ts'
import { temporaryFolder, type Scope } from '#test/machine/temporary-folder.ts'
import { needs } from '#test/peers/debian.ts'
import { exchangeAt, notesIn, startExchange, type Exchange } from '#test/service/exchange.ts'
import { recordsOf, haveTwoWayAudio, historyOf, logIn, openOffice, recordedCall, talk, type Office } from '#test/ship/office.ts'
import { createDatabase, debianPrograms, startPostgres } from '#test/store/postgres.ts'
import { emptyPostgres } from '#test/store/databases.ts'
import type { FirstRunNotes } from '#first-start/first-start.ts'

const run = promisify(execFile)
const concurrentCalls = 10
/** Larger than the WAV header. */
const hasSound = (file: string): boolean => statSync(file).size > 10_000

interface Place {
  /** Settings of a new, empty installation. */
  settings: Record<string, string>
  data: string
  destroy(): Promise<void>
}

const engines: Record<string, (t: TestContext) => Promise<(() => Promise<Place>) | undefined>> = {
  SQLite: async (t) => async () => {
    const data = join(await temporaryFolder(t), 'data')
    return { data, settings: { OFFHOOK_DATA: data }, destroy: () => rm(data, { recursive: true }) }
  },
  /** Debian's PostgreSQL with its pg_dump: the one of the other tests has none. */
  PostgreSQL: async (t) => {
    if (!(await needs(t, 'pg_dump'))) return undefined
    const server = await startPostgres(debianPrograms)
    t.after(() => server.stop())
    return async () => {
      const data = join(await temporaryFolder(t), 'data')
      const name = `offhook_${data.replaceAll(/\W/g, '').slice(-12).toLowerCase()}`
      const DATABASE_URL = await createDatabase(server.url, { name })
      const destroy = async (): Promise<void> => {
        await rm(data, { recursive: true })
        await run('psql', [server.url, '-c', `drop database ${name} with (force)`])
      }
      return { data, settings: { OFFHOOK_DATA: data, DATABASE_URL }, destroy }
    }
  },
}

const command = async (t: TestContext, args: string[], settings: Record<string, string>): Promise<string> => {
  const [code, , said] = await output(offhook(t, args, settings))
  assert.equal(code, 0, said)
  return said
}

const startRestored = async (t: TestContext, { settings, data }: Place, notes: FirstRunNotes): Promise<Exchange> => {
  const program = offhook(t, ['serve'], { ...settings, OFFHOOK_LOG: 'error' })
  const { http, sip } = await ready(program)
  return exchangeAt(program, { http, sip: sip.replace('sip:', ''), data, notes })
}

for (const [engine, openPlaces] of Object.entries(engines))
  test(`${engine}: restores everything from a backup taken during ${concurrentCalls} calls, without affecting a phone`, async (t) => {
    const newPlace = await openPlaces(t)
    if (!newPlace) return
    const place = await newPlace()
    const exchange = await startExchange(t, { ...place.settings, OFFHOOK_RATE_LIMIT: '0' })
    const { admin, operator, accountId, http } = exchange
    const office = await openOffice(exchange)
    await recordedCall(t, exchange, office)
    await operator.topUpBalance({ accountId }, { amount: 123_456, reason: 'paid', idempotencyKey: 'once' })
    await admin.createContact({}, { name: 'Ada' })
    const before = await recordsOf(admin, http)
    assert.equal(Object.keys(before.recordings).length, 1)

    const offices: Office[] = []
    for (let count = 0; count < concurrentCalls; count++) offices.push(await openOffice(exchange))
    const phones = together(t)
    const calls = await Promise.all(offices.map((one) => talk(phones, exchange, one)))
    await admin.recordCall({ callId: calls[0]?.callId ?? '' }, { value: true, announcement: false })
    const isNew = (file: string): boolean => before.recordings[basename(file, '.wav')] === undefined
    await until('sound of a running call on the disk', () =>
      globSync(join(place.data, '**/*.wav')).some((file) => isNew(file) && hasSound(file)),
    )
    const folder = await temporaryFolder(t)
    const archive = join(folder, 'offhook.tar')
    const said = await command(t, ['backup', archive], place.settings)
    assert.match(said, /Backed up: .* files.*\n.*secret key \(fingerprint [0-9a-f]{16}\) is not in it/)
    await Promise.all(calls.map(haveTwoWayAudio))
    assert.equal((await admin.listCalls()).data.length, concurrentCalls)
    await checkByStrangers(archive)

    // The machine is lost: only the archive and the key, stored elsewhere, are left.
    const key = join(folder, 'kept.key')
    await writeFile(key, await readFile(join(place.data, 'secret.key')))
    const notes = await notesIn(place.data)
    exchange.program.child.kill('SIGKILL')
    await exchange.program.ended
    await place.destroy()

    const fresh = await newPlace()
    const notified = calls.flatMap(({ desk, door }) => [desk, door]).map((phone) => ({ phone, requests: phone.requests.length }))
    await command(t, ['restore', archive, '--key-file', key], fresh.settings)
    const restored = await startRestored(t, fresh, notes)
    await until('the books of the calls that were running are closed', async () => {
      const entries = await historyOf(restored.admin)
      return entries.length === before.history.length + concurrentCalls
    })
    const after = await recordsOf(restored.admin, restored.http)
    const known = new Set(before.history.map((entry) => JSON.stringify(entry)))
    assert.deepEqual(
      after.history.filter((entry) => known.has(JSON.stringify(entry))),
      before.history,
    )
    assert.deepEqual([after.ledger, after.contacts], [before.ledger, before.contacts])
    for (const [id, sum] of Object.entries(before.recordings)) assert.equal(after.recordings[id], sum)
    assert.equal(Object.keys(after.recordings).length, 2, 'and what was recorded of the call that was running')
    assert.equal(await logIn(restored.http, notes), 200)

    for (const { calling, called } of calls) assert.deepEqual([calling.session.state, called.session.state], ['confirmed', 'confirmed'])
    for (const { phone, requests } of notified) assert.equal(phone.requests.length, requests)
    const again = await talk(t, restored, office)
    await again.calling.session.end()
    restored.program.child.kill('SIGTERM')
    assert.equal(await restored.program.ended, 0)
  })

/** Phones whose service is gone wait when they hang up: ends all concurrently. */
const together = (t: TestContext): Scope => {
  const closers: (() => unknown)[] = []
  t.after(() => Promise.all(closers.map((close) => close())))
  return { after: (close) => void closers.push(close) }
}

/** Checks with tar that the archive is standard. */
const checkByStrangers = async (archive: string): Promise<void> => {
  const { stdout } = await run('tar', ['-tf', archive])
  const names = stdout.trim().split('\n')
  assert.equal(names[0], 'backup.json')
  assert.deepEqual(names.slice(-2), ['SHA256SUMS', 'end.json'])
  assert.ok(names.some((name) => /^recordings\/.*\.wav$/.test(name)))
  assert.ok(!names.includes('secret.key') && !names.includes('first-run.json'))
  assert.equal((await stat(archive)).mode & 0o777, 0o600)
}

test('rejects an unusable restore with one sentence; works over pipes', async (t) => {
  const data = join(await temporaryFolder(t), 'data')
  const exchange = await startExchange(t, { OFFHOOK_DATA: data })
  const folder = await temporaryFolder(t)
  const [whole, cut] = [join(folder, 'whole.tar'), join(folder, 'cut.tar')]
  const target = { OFFHOOK_DATA: join(folder, 'target') }
  const inShell = (line: string, settings: Record<string, string>) =>
    run('bash', ['-c', `set -o pipefail; ${line}`], { env: { ...process.env, ...settings } })
  const program = `${process.execPath} ${join(import.meta.dirname, '../../bin/offhook.mjs')}`
  await inShell(`${program} backup --with-key - > ${whole}`, { OFFHOOK_DATA: data })
  await assert.rejects(inShell(`${program} backup - | head -c 1000 > ${cut}`, { OFFHOOK_DATA: data }))
  const refused = async (args: string[], settings: Record<string, string>, why: RegExp): Promise<void> => {
    const [code, , said] = await output(offhook(t, args, settings))
    assert.equal(code, 1)
    assert.match(said, why)
    assert.equal(said.trim().split('\n').length, 1, said)
  }
  await refused(['restore', cut], target, /^offhook: .*cut\.tar is cut off/)
  await writeFile(cut, await readFile(whole))
  await truncate(cut, 100_000)
  await refused(['restore', cut], target, /is cut off, or damaged: offhook\.db should have \d+ bytes/)
  await refused(['restore', whole], { OFFHOOK_DATA: data }, /is not empty/)
  await refused(['restore', join(folder, 'none.tar')], target, /ENOENT/)
  const url = await emptyPostgres()
  await refused(
    ['restore', whole],
    { ...target, DATABASE_URL: url },
    /This is a backup of SQLite, and the settings name PostgreSQL: unset DATABASE_URL/,
  )
  await refused(['restore', whole], { ...target, OFFHOOK_SECRET_KEY: Buffer.alloc(32).toString('base64') }, /secret key is another one/)
  await assert.rejects(stat(target.OFFHOOK_DATA), { code: 'ENOENT' })
  await inShell(`cat ${whole} | ${program} restore -`, target)
  exchange.program.child.kill('SIGKILL')
  await exchange.program.ended
  const restored = await ready(offhook(t, ['serve'], target))
  const { token = '' } = await notesIn(target.OFFHOOK_DATA)
  assert.equal((await fetch(`${restored.http}/v1/account`, { headers: { authorization: `Bearer ${token}` } })).status, 200)
})

test('rejects a pg_dump older than the server before running it', async (t) => {
  if (!(await needs(t, 'pg_dump'))) return
  const data = join(await temporaryFolder(t), 'data')
  const settings = { OFFHOOK_DATA: data, DATABASE_URL: await emptyPostgres() }
  const exchange = await startExchange(t, settings)
  const [code, , said] = await output(offhook(t, ['backup', join(data, '../a.tar')], settings))
  assert.deepEqual([code, exchange.program.child.exitCode], [1, null])
  assert.match(said, /PostgreSQL is of version 18, and the newest pg_dump here is of version \d+: install postgresql-client-18 or newer/)
})
