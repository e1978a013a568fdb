import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { Client } from 'pg'
import { aDelivery } from '#test/store/a-delivery.ts'
import { bothDatabases, emptyPostgres, temporaryFolder, type Database } from '#test/store/databases.ts'
import { ScriptedRecordings } from '#test/ports/scripted-recordings.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { lostWithProcess } from '#test/routing/lost-calls.ts'
import { recoverAll } from '#core/telephone/call/takeover/end-lost-call.ts'
import { notificationJob } from '#core/account/notifications/schedule-notification.ts'
import { moneyJobs } from '#core/money/jobs.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { foundation } from './migrations/first-release/0001-foundation.ts'
import { assistant } from './migrations/first-release/0002-assistant.ts'
import { liveCalls } from './migrations/first-release/0003-live-calls.ts'
import { messages } from './migrations/first-release/0004-messages.ts'
import { migrations } from './migrate.ts'
import { postgresStore } from './postgres-store.ts'
import { sqliteStore } from './sqlite-store.ts'

const now = Date.UTC(2026, 10, 15)

/** Two processes have sessions, a call has money, and a job waits for each; a user is to be notified of a missed call. */
const filled = [
  `create table kysely_migration (name varchar(255) not null primary key, timestamp varchar(255) not null)`,
  `insert into kysely_migration values ('0001-foundation', 'then'), ('0002-assistant', 'then')`,
  `insert into account values ('a', 'Example', 'X', '', 1, null, 'd', 'de_DE', 'DE', null, null, 0, 0, 1, null)`,
  `insert into balance values ('a', 'EUR', 500, 190, 0)`,
  `insert into reservation values ('c', 'a', 'CALL', 190, 'OPEN', '{"legs":[]}', 1, ${now - 1})`,
  ...[
    `'s1', 'a', 'f', '{"id":"s1","phone_number":"49301"}', ${now - 9_000}, 'dead', ${now + 1_000}, null, null, null, null`,
    `'s2', 'a', 'f', '{"id":"s2"}', ${now - 8_000}, 'dead', ${now + 2_000}, null, null, null, null`,
    `'s3', 'a', 'f', '{"id":"s3"}', ${now - 7_000}, 'other', ${now + 3_000}, null, null, null, null`,
    `'s4', 'a', 'f', '{"id":"s4"}', ${now - 6_000}, 'idle', ${now + 4_000}, ${now}, 'busy', 3, 1`,
  ].map((session) => `insert into session values (${session})`),
  ...['dead', 'other', 'idle'].map(
    (owner) => `insert into job values ('session.lease:${owner}', 'session.lease', '{"owner":"${owner}"}', ${now + 2_001}, 0, 0)`,
  ),
  `insert into history_entry values ('e', 'a', null, 'missed', 'CALL', 'MISSED_INCOMING', '+49301', '+49302', '', '', 'NOPICKUP', '[]', '[]', '{}',
    1, 1, 0, 0, 0, '', '[]')`,
  ...['missed', 'erased'].map(
    (call) => `insert into job values ('missed.tell:a:CALL:${call}', 'missed.tell', '{"callId":"${call}"}', ${now}, 0, 2)`,
  ),
  `insert into outbox values ('o', 'a', 'sms', '{}', 'PENDING', 0, 1, 0, '', 1)`,
]

/** The database as left by an older version. */
const openUpgraded = async (t: TestContext, database: Database, statements: readonly string[]): Promise<Store> => {
  let store: Store | undefined
  const folder = await temporaryFolder(t, () => store?.close())
  if (database === 'sqlite') {
    const file = join(folder, 'test.db')
    const raw = new DatabaseSync(file)
    for (const statement of statements) raw.exec(statement)
    raw.close()
    return (store = await sqliteStore(file))
  }
  const url = await emptyPostgres()
  const raw = new Client({ connectionString: url })
  await raw.connect()
  for (const statement of statements) await raw.query(statement)
  await raw.end()
  return (store = await postgresStore(url))
}

for (const database of bothDatabases)
  test(`${database}: after an upgrade open sessions end once, reserved money is released, pending notifications are sent`, async (t) => {
    const store = await openUpgraded(t, database, [...foundation(database), ...assistant(), ...filled])
    const clock = new VirtualClock(now)
    const untils = Object.fromEntries((await store.read.leases.listOthers('')).map(({ owner, until }) => [owner, until - now]))
    assert.deepEqual(untils, { dead: 2_000, other: 3_000 })
    const jobs = await store.write((tables) => tables.jobs.lease(['lease'], now + 5_000, 9, 1))
    assert.deepEqual(
      jobs.toSorted((one, other) => one.id.localeCompare(other.id)).map(({ id, payload }) => [id, payload]),
      ['dead', 'idle', 'other'].map((owner) => [`lease:${owner}`, { owner }]),
    )
    const notified = await store.write((tables) => tables.jobs.lease([notificationJob, 'missed.tell'], now, 9, 1))
    assert.deepEqual(notified, [
      { id: `${notificationJob}:a:e`, kind: notificationJob, payload: { accountId: 'a', entryId: 'e' }, attempts: 3, lost: 0 },
    ])
    assert.deepEqual(await store.write(({ outbox }) => outbox.lease(['sms'], now, 9, 1)), [], 'a code that was never sent is void')
    const parts = { store, clock, files: new ScriptedRecordings(), sayBye: () => Promise.resolve(), wake: () => {} }
    await recoverAll({ ...parts, ...lostWithProcess, onFailure: (error) => assert.fail(String(error)) }, 'other')
    const ends = await store.write(({ outbox }) => outbox.lease(['session_end'], now, 9, 1))
    assert.deepEqual(ends.map(({ payload }) => (payload as { event: { sessionId: string } }).event.sessionId).toSorted(), ['s1', 's2'])
    assert.equal((await store.read.sessions.listOpenOf('other', 9)).length, 1)
    const expiring = { accountId: 'a', sessionId: 'c' }
    await moneyJobs(store, clock)['reservation.expire']?.(expiring, { id: '', kind: '', payload: {}, attempts: 1 })
    assert.deepEqual(await store.read.balances.find('a'), { currency: 'EUR', amount: 500, reserved: 0, creditLimit: 0 })
  })

/** From before listeners existed: a log of deliveries to endpoints. */
const notified = [
  `create table kysely_migration (name varchar(255) not null primary key, timestamp varchar(255) not null)`,
  ...['0001-foundation', '0002-assistant', '0003-live-calls', '0004-messages'].map(
    (name) => `insert into kysely_migration values ('${name}', 'then')`,
  ),
  `insert into account values ('a', 'Example', 'X', '', 1, null, 'd', 'de_DE', 'DE', null, null, 0, 0, 1, null)`,
  `insert into delivery values ('d1', 'a', 'f', 's', 'e1', 'session_start', 1, 0, 1, 'webhook', ${now}, 12, 'delivered', 200, 300, 40, '["speak"]',
    '[{"index":0,"message":"odd"}]', null)`,
  `insert into delivery values ('d2', 'a', 'f', 's', 'e2', 'session_end', 2, 1, 3, 'fallback', ${now + 1}, 15, 'dead', null, 310, 0, '[]', '[]', 'gone')`,
]

for (const database of bothDatabases)
  test(`${database}: after an upgrade the delivery log is unchanged and accepts deliveries to listeners`, async (t) => {
    const store = await openUpgraded(t, database, [...foundation(database), ...assistant(), ...liveCalls(), ...messages(), ...notified])
    const list = () => store.read.deliveries.list('a', 'f', { limit: 9 })
    const first = { eventId: 'e1', eventType: 'session_start', sequence: 1, turn: 0, at: now, requestBytes: 300, replyBytes: 40 } as const
    const last = {
      eventId: 'e2',
      turn: 1,
      sequence: 2,
      attempt: 3,
      channel: 'fallback',
      at: now + 1,
      durationMs: 15,
      state: 'dead',
    } as const
    const old = [
      aDelivery('d2', { flowId: 'f', ...last, status: undefined, requestBytes: 310, error: 'gone' }),
      aDelivery('d1', { flowId: 'f', ...first, actions: ['speak'], problems: [{ index: 0, message: 'odd' }] }),
    ]
    assert.deepEqual(await list(), old)
    const heard = aDelivery('d3', { flowId: 'f', channel: 'listener' })
    await store.write(({ deliveries }) => deliveries.insert([heard]))
    assert.deepEqual(await list(), [heard, ...old])
  })

/** As left by the first release: two accounts, one of which requires a second factor, each with a user who set one up at 100. */
const tokensOfFirstRelease = [
  `create table kysely_migration (name varchar(255) not null primary key, timestamp varchar(255) not null)`,
  ...['a', 'b'].flatMap((id) => [
    `insert into account (id, company, main_product_type, logo_url, verified, domain, locale, country, welcome_enabled, outbound_enabled, created_at, second_factor)
      values ('${id}', 'Example', 'X', '', 1, '${id}', 'de_DE', 'DE', 0, 0, 1, ${id === 'a' ? 1 : 0})`,
    `insert into app_user (account_id, ext, subject, firstname, lastname, email, password_hash, admin, busy_on_busy, timezone, locale, created_at)
      values ('${id}', 'w0', 's${id}', '', '', '${id}@example.com', 'x', 1, 0, 'UTC', 'de_DE', 1)`,
    `insert into totp values ('s${id}', 'x', 0, 1, 100)`,
    ...[
      ['personal', 99],
      ['personal', 100],
      ['session', 99],
    ].map(
      ([kind, at]) =>
        `insert into token (id, hash, kind, account_id, user_ext, name, scopes, created_at) values ('${id}${kind}${at}', '${id}${kind}${at}', '${kind}', '${id}', 'w0', '', 'all', ${at})`,
    ),
  ]),
]

for (const database of bothDatabases)
  test(`${database}: after an upgrade tokens younger than their user's second factor count as proven`, async (t) => {
    const first = Object.entries(migrations).filter(([, { release }]) => release === 1)
    const made = first.map(([name]) => `insert into kysely_migration values ('${name}', 'then')`)
    const schema = first.flatMap(([, { statements }]) => statements(database))
    const store = await openUpgraded(t, database, [...schema, ...tokensOfFirstRelease, ...made])
    const state = async (hash: string) => {
      const { secondFactor, secondFactorDemanded } = (await store.read.tokens.findValid(hash, now)) ?? assert.fail(hash)
      return [secondFactor, secondFactorDemanded]
    }
    const states = await Promise.all(['personal99', 'personal100', 'session99'].flatMap((name) => [state(`a${name}`), state(`b${name}`)]))
    assert.deepEqual(states, [
      [false, true],
      [false, false],
      [true, true],
      [true, false],
      [true, true],
      [false, false],
    ])
  })
