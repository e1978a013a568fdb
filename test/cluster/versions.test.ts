import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { createClient, type Client } from '@offhook/sdk'
import { schemaRelease } from '#adapters/store/migrate.ts'
import type { FirstRunNotes } from '#first-start/first-start.ts'
import { offhook, output, ourRoot, ready, type Program } from '#test/machine/program.ts'
import { SipPhone } from '#test/phones/sip-phone.ts'
import { laterVersion } from '#test/service/later-version.ts'
import { emptyPostgres, temporaryFolder } from '#test/store/databases.ts'

const userId = 'w0'
const rounds = 12

interface Started {
  program: Program
  sip: string
  api: Client
}

/** Starts processes of any version on one database. */
const openInstallation = async (t: TestContext) => {
  const settings = {
    DATABASE_URL: await emptyPostgres(),
    OFFHOOK_SECRET_KEY: randomBytes(32).toString('base64'),
    OFFHOOK_LOG: 'error',
    OFFHOOK_RATE_LIMIT: '0',
    OFFHOOK_DRAIN_SECONDS: '0',
  }
  let token: string | undefined
  const run = async (root: string): Promise<{ program: Program; data: string }> => {
    const data = await temporaryFolder(t)
    return { program: offhook(t, ['serve'], { ...settings, OFFHOOK_DATA: data }, root), data }
  }
  const start = async (root: string): Promise<Started> => {
    const { program, data } = await run(root)
    const { http, sip } = await ready(program)
    token ??= (JSON.parse(await readFile(join(data, 'first-run.json'), 'utf8')) as FirstRunNotes).token
    return { program, sip: sip.replace('sip:', ''), api: createClient({ baseUrl: http, token: token ?? '' }) }
  }
  return { run, start }
}

type Phone = SipPhone & { deviceId: string }

const newPhone = async (t: TestContext, { api, sip }: Started): Promise<Phone> => {
  const { id: deviceId, credentials, activePhonelines } = await api.createRegisterDevice({ userId }, { alias: 'Phone' })
  for (const { id } of activePhonelines) await api.removePhonelineDevice({ userId, phonelineId: id, deviceId })
  const phone = await SipPhone.open(t, { server: sip, user: credentials.username, password: credentials.password })
  assert.equal((await phone.register()).status, 200)
  return Object.assign(phone, { deviceId })
}

/** Calls from one phone to the other, talks and hangs up. */
const talk = async (caller: Phone, callee: Phone): Promise<void> => {
  const calling = caller.call(callee.deviceId)
  const incoming = await callee.incoming()
  await callee.accept(incoming)
  assert.equal((await calling.answered).status, 200)
  await calling.session.end()
  await incoming.call.ended
}

/** Typical requests of accounts, different in each round; throws on any rejection. */
const work = async ({ api }: Started, round: number): Promise<void> => {
  const { id } = await api.createContact({}, { name: `Ada ${round}` })
  await api.listContacts()
  await api.deleteContact({ contactId: id })
  await api.listRegisterDevices({ userId })
  await api.listPhonelines({ userId })
  await api.getBalance()
  await api.listOwnHistory({})
}

/** Errors in its log, except for intentionally missing parts. */
const complaints = ({ written }: Program): string[] =>
  written.stderr.split('\n').filter((line) => /^\{"level":[56]0,/.test(line) && !line.includes('"bus_missing"'))

test('runs this version and the next one together on the next schema, and allows a rollback', async (t) => {
  const { run, start } = await openInstallation(t)
  const [next, nextButOne] = await Promise.all([laterVersion(t, 1), laterVersion(t, 2)])
  const old = await start(ourRoot)
  const atOld = [await newPhone(t, old), await newPhone(t, old)] as const
  await talk(...atOld)
  await work(old, -1)

  // The old version has open connections and prepared statements when the schema changes.
  const fresh = await start(next)
  const atFresh = await newPhone(t, fresh)
  for (let round = 0; round < rounds; round++) {
    await Promise.all([work(old, round), work(fresh, round), talk(...atOld)])
    await talk(atFresh, atOld[0])
    await talk(atOld[1], atFresh)
  }
  fresh.program.child.kill('SIGTERM')
  assert.equal(await fresh.program.ended, 0)

  // Rollback: a process of this version starts on the next schema.
  const again = await start(ourRoot)
  const atAgain = await newPhone(t, again)
  for (let round = 0; round < rounds; round++) await Promise.all([work(again, round), work(old, round), talk(atAgain, atOld[0])])
  const { items } = await again.api.listOwnHistory({ limit: 1000 })
  assert.equal(items.filter(({ type }) => type === 'CALL').length, 1 + 4 * rounds, 'one entry for each call')
  for (const { program } of [old, fresh, again]) assert.deepEqual(complaints(program), [])

  await start(nextButOne)
  const { program: refused } = await run(ourRoot)
  const [code, , said] = await output(refused)
  assert.notEqual(code, 0)
  const sentence = `a newer version has brought it to release ${schemaRelease + 2}, and this version is of release ${schemaRelease}`
  assert.ok(said.includes(`The database of DATABASE_URL cannot be used: ${sentence}`), said)
})
