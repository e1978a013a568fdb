import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { databases, openTestStore, type Database } from '#test/store/databases.ts'
import { ScriptedRecordings } from '#test/ports/scripted-recordings.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { createAccount } from '#core/account/accounts/create-account.ts'
import type { HistoryEntry } from '#core/kernel/ports/store/call.ts'
import type { StoredRecording } from '#core/kernel/ports/store/recording.ts'
import { mayRecord } from './recording-room.ts'
import { recordingSweeps } from './recording-sweep.ts'

const day = 24 * 60 * 60 * 1000

const entryOf = (callId: string, at: number, ids: string[]): HistoryEntry => ({
  id: `entry of ${callId}`,
  userId: 'w0',
  sessionId: callId,
  type: 'CALL',
  direction: 'INCOMING',
  source: 'anonymous',
  target: '+4921112345678',
  sourceAlias: '',
  targetAlias: '',
  status: 'PICKUP',
  connectionIds: [],
  endpoints: [],
  detail: { duration: 3, recordings: ids.map((id) => ({ id })) },
  createdAt: at,
  modifiedAt: at,
  read: false,
  archived: false,
  starred: false,
  note: '',
  labels: [],
})

const openFileStore = async (t: TestContext, database: Database, retentionDays: number) => {
  const store = await openTestStore(t, database)
  const clock = new VirtualClock(1_000 * day)
  const files = new ScriptedRecordings()
  const account = { company: 'Example', country: 'DE', locale: 'en_US', currency: 'EUR' } as const
  const accountId = await store.write((tables) => createAccount(tables, clock, account))
  const keep = (id: string, createdAt: number, more: Partial<StoredRecording> = {}) =>
    store.write(async (tables) => {
      const recording = { id, accountId, callId: `call of ${id}`, kind: 'CALL' as const, createdAt, durationMs: 1_000, bytes: 16_044 }
      await tables.recordings.insert({ ...recording, truncated: false, ...more })
      files.put({ accountId, id }, new Uint8Array(16_044), createdAt)
    })
  const sweep = async (days = retentionDays): Promise<void> => {
    for (const { work } of recordingSweeps({ store, clock, wallClock: clock, files, retentionDays: days, waitHours: 24 })) await work()
  }
  const has = (id: string) => files.has({ accountId, id })
  return { store, clock, files, accountId, keep, has, sweep }
}

for (const database of databases) {
  test(`${database}: erases recordings past their retention and their references; retention 0 keeps all`, async (t) => {
    const { store, clock, accountId, keep, has, sweep, files } = await openFileStore(t, database, 90)
    await keep('old', clock.now() - 90 * day - 1, { callId: 'c' })
    await keep('young', clock.now() - 90 * day + 1, { callId: 'c' })
    for (let n = 0; n < 150; n++) await keep(`many-${n}`, clock.now() - 200 * day)
    await store.write((tables) => tables.history.insert(accountId, entryOf('c', clock.now(), ['old', 'young'])))
    files.refuses = true
    await assert.rejects(sweep(), /cannot be written/)
    assert.ok(await store.read.recordings.find(accountId, 'old'), 'a file that is still there is still known')
    files.refuses = false
    await sweep()
    assert.deepEqual([has('old'), has('young')], [false, true])
    assert.deepEqual(
      (await store.read.recordings.list(accountId, 100)).map(({ id }) => id),
      ['young'],
    )
    const [entry] = await store.read.history.listBySession(accountId, 'c')
    assert.deepEqual(entry?.detail, { duration: 3, recordings: [{ id: 'young' }] })

    await clock.advance(10_000 * day)
    await sweep(0)
    assert.equal(has('young'), true)
  })

  test(`${database}: erases an orphaned file after a day, adopts one named by a history entry, and keeps those of calls`, async (t) => {
    const { store, clock, accountId, has, sweep, files } = await openFileStore(t, database, 0)
    const put = (id: string, age: number) => files.put({ accountId, id }, new Uint8Array(16_044), clock.now() - age)
    put('stray', day + 1)
    put('young-stray', day - 1)
    put('running', 1_000)
    put('told', 3 * day)
    put('lost', 3 * day)
    const recordings = [{ accountId, id: 'lost', kind: 'CALL' as const, at: clock.now() - 3 * day }]
    const snapshot = { startedAt: 0, sides: [], meters: [], dialogs: [], recordings }
    const lost = { callId: 'l', owner: 'a machine that was off', epoch: 1, startedAt: 0, savedAt: 0, snapshot }
    await store.write((tables) => tables.runningCalls.open(lost))
    const notified = entryOf('c', clock.now() - 3 * day, [`${accountId}/told.wav`])
    await store.write((tables) => tables.history.insert(accountId, notified))
    await sweep()
    assert.deepEqual(['stray', 'young-stray', 'running', 'told', 'lost'].map(has), [false, true, true, true, true])
    const { callId, kind, durationMs, bytes } = (await store.read.recordings.find(accountId, 'told')) ?? assert.fail()
    assert.deepEqual([callId, kind, durationMs, bytes], ['c', 'CALL', 1_000, 16_044])
  })

  test(`${database}: finds recordings by call and by age, and sums their bytes`, async (t) => {
    const { store, clock, accountId, keep } = await openFileStore(t, database, 0)
    await keep('b', 20, { callId: 'c', truncated: true, kind: 'VOICEMAIL', bytes: 5_000_000_000 })
    await keep('a', 10, { callId: 'c' })
    await keep('a', 99, { callId: 'other' })
    const { recordings } = store.read
    const wanted = { id: 'b', accountId, callId: 'c', kind: 'VOICEMAIL', createdAt: 20, durationMs: 1_000, bytes: 5_000_000_000 }
    assert.deepEqual(await recordings.find(accountId, 'b'), {
      ...wanted,
      truncated: true,
      awaited: false,
      partOf: undefined,
      place: undefined,
    })
    assert.equal(await recordings.find('somebody else', 'b'), undefined)
    const ids = (list: StoredRecording[]) => list.map(({ id }) => id)
    assert.deepEqual(ids(await recordings.listByCall(accountId, 'c')), ['a', 'b'], 'the first one with an id stays')
    assert.deepEqual(ids(await recordings.listBefore(20, 9)), ['a'])
    assert.deepEqual(ids(await recordings.listBefore(21, 1)), ['a'])
    assert.equal(await recordings.totalBytes(accountId), 5_000_016_044)
    assert.equal(await recordings.totalBytes('somebody else'), 0)
    assert.equal(await store.write((tables) => tables.recordings.remove('somebody else', 'a')), false)
    assert.equal(await store.write((tables) => tables.recordings.remove(accountId, 'a')), true)
    assert.equal(await recordings.find(accountId, 'a'), undefined)
    assert.equal(clock.pending(), 0)
  })
}

test('rejects new recordings when the disk is nearly full or the quota is reached', async (t) => {
  const { store, files, accountId, keep } = await openFileStore(t, 'sqlite', 0)
  const may = mayRecord(store, files, 16_045)
  const mebibyte = 1024 ** 2
  files.disk = { bytes: 1_000 * mebibyte, free: 512 * mebibyte }
  assert.equal(await may(accountId), undefined)
  files.disk = { bytes: 1_000 * mebibyte, free: 512 * mebibyte - 1 }
  assert.equal(await may(accountId), 'recording_disk_full')
  files.disk = { bytes: 20_000 * mebibyte, free: 999 * mebibyte }
  assert.equal(await may(accountId), 'recording_disk_full')
  files.disk = { bytes: 20_000 * mebibyte, free: 1_000 * mebibyte }
  await keep('one', 1)
  assert.equal(await may(accountId), undefined)
  await keep('two', 1)
  assert.equal(await may(accountId), 'recording_quota_reached')
})
