import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { Client } from 'pg'
import { until } from '#test/http/customer-endpoint.ts'
import { freshPostgres } from '#test/store/databases.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { openVault } from '#adapters/vault/file-vault.ts'
import { postgresIntercom } from './postgres-intercom.ts'

const connectTo = async (t: TestContext, url: string): Promise<Client> => {
  const client = new Client({ connectionString: url })
  await client.connect()
  t.after(() => client.end())
  return client
}

/** A process that writes down what it hears. */
const openProcess = async (t: TestContext, url: string, key = 7) => {
  const vault = await openVault({ file: '', key: Buffer.alloc(32, key).toString('base64') })
  const clock = new VirtualClock()
  const errors: Error[] = []
  const intercom = postgresIntercom({ url, vault, clock, onError: (error) => errors.push(error) })
  t.after(() => intercom.close())
  const heard: { from: string; message: unknown }[] = []
  const times = { connected: 0, lost: 0 }
  const connected = Promise.withResolvers<void>()
  intercom.attach({
    connected() {
      times.connected++
      connected.resolve()
    },
    lost: () => void times.lost++,
    heard: (from, message) => heard.push({ from, message }),
  })
  await connected.promise
  return { intercom, clock, errors, heard, times }
}

test('a message reaches all other processes, in order and whole; a reply reaches only one', async (t) => {
  const url = await freshPostgres()
  const [ada, bob, eve] = [await openProcess(t, url), await openProcess(t, url), await openProcess(t, url)]
  const [raw, seen] = [await connectTo(t, url), [] as string[]]
  raw.on('notification', ({ payload = '' }) => seen.push(payload))
  await raw.query('listen offhook')
  const said = Array.from({ length: 20 }, (_, index) => ({ index, text: 'Grüße '.repeat(index * 200) }))
  for (const message of said) assert.equal(ada.intercom.say(message), true)
  await until(() => bob.heard.length === 20 && eve.heard.length === 20)
  for (const { heard } of [bob, eve])
    assert.deepEqual(
      heard.map(({ message }) => message),
      said,
    )
  const large = randomBytes(1_300_000).toString('base64')
  bob.intercom.say({ large }, bob.heard[0]?.from)
  await until(() => ada.heard.length === 1)
  assert.deepEqual(ada.heard[0]?.message, { large })
  bob.intercom.say({ last: true })
  await until(() => eve.heard.length === 21 && ada.heard.length === 2)
  assert.equal(bob.heard.length, 20, 'nobody hears themselves')
  assert.ok(seen.length > 20)
  assert.ok(!seen.some((payload) => /"index"|Grüße/.test(payload)), 'PostgreSQL sees no word of it')
})

test('when PostgreSQL breaks the connection both sides know, and it comes back by itself', async (t) => {
  const url = await freshPostgres()
  const [ada, bob] = [await openProcess(t, url), await openProcess(t, url)]
  const admin = await connectTo(t, new URL('/postgres', url).href)
  const name = new URL(url).pathname.slice(1)
  await admin.query(`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`)
  await until(() => ada.times.lost === 1 && bob.times.lost === 1)
  assert.equal(ada.intercom.say({ lost: true }), false)
  assert.equal(ada.errors.length, 1)
  for (const { clock, times } of [ada, bob]) {
    await clock.advance(1_000)
    await until(() => times.connected === 2)
  }
  assert.equal(ada.intercom.say({ again: true }), true)
  await until(() => bob.heard.length === 1)
  assert.deepEqual(bob.heard[0]?.message, { again: true })
})

test('nonsense, and what is sealed with another key, is passed over', async (t) => {
  const url = await freshPostgres()
  const [ada, stranger] = [await openProcess(t, url), await openProcess(t, url, 8)]
  const raw = await connectTo(t, url)
  for (const payload of ['', 'hello', 'x 0 1 v1:AAAA', 'x 1 2 v1:AAAA', 'x 0 2 half', `x 0 99999 ${'y'.repeat(100)}`])
    await raw.query('select pg_notify($1, $2)', ['offhook', payload])
  stranger.intercom.say({ type: 'hello' })
  const friend = await openProcess(t, url)
  friend.intercom.say({ type: 'hello' })
  await until(() => ada.heard.length === 1)
  assert.deepEqual(ada.heard[0]?.message, { type: 'hello' })
  assert.equal(ada.errors.length, 1, 'the log is told once')
})
