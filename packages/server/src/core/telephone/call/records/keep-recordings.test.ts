import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases } from '#test/store/databases.ts'
import { openExchange, quota, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'
import { eraseJob } from '#core/telephone/recordings/erase-recordings.ts'

const talk = async (exchange: Exchange, ada: Customer) => {
  const caller = await exchange.callIn(ada.number)
  exchange.phone.answers()
  await exchange.rest()
  const [call] = exchange.calls.list({ kind: 'user', accountId: ada.accountId, userId: ada.userId, admin: true, scopes: [], tokenId: '' })
  return { caller, call: call ?? assert.fail('there is no call') }
}

for (const database of databases) {
  test(`${database}: stores the recordings of a call with its history entry`, async (t) => {
    const exchange = await openExchange(t, { database })
    const ada = await exchange.newCustomer()
    const { caller, call } = await talk(exchange, ada)
    await exchange.seconds(5)
    const startedAt = exchange.clock.now()
    await call.record(true, { announcement: false })
    await exchange.seconds(7)
    caller.hangsUp()
    await exchange.rest()
    const { detail, sessionId } = await exchange.entry(ada)
    const [recording, ...others] = await exchange.store.read.recordings.listByCall(ada.accountId, sessionId)
    assert.equal(others.length, 0)
    assert.deepEqual(detail.recordings, [{ id: recording?.id }])
    assert.deepEqual(
      [recording?.kind, recording?.createdAt, recording?.durationMs, recording?.truncated],
      ['CALL', startedAt, 7_000, false],
    )
    assert.ok((recording?.bytes ?? 0) > 44)
  })
}

test('keeps a voicemail like a recording, and erases the file of a caller who hung up at the tone', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  exchange.telephony.register(ada.accountId, ada.deviceId, 0)
  for (const seconds of [0.5, 3]) {
    const caller = await exchange.callIn(ada.number)
    await exchange.seconds(4 + seconds)
    caller.hangsUp()
    await exchange.rest()
  }
  const rows = await exchange.store.read.recordings.list(ada.accountId, 10)
  assert.deepEqual(
    rows.map(({ kind, durationMs }) => [kind, durationMs]),
    [['VOICEMAIL', 3_000]],
  )
  const jobs = await exchange.store.write((tables) => tables.jobs.lease([eraseJob], exchange.clock.now(), 10, 1))
  assert.equal(jobs.length, 1)
})

test('rejects a recording with a reason when space is missing, and continues a running one', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const { call, caller } = await talk(exchange, ada)
  const record = () => call.record(true, { announcement: false })
  const room = { ...exchange.recordings.disk }
  exchange.recordings.disk.free = 0
  await assert.rejects(record(), { code: 'recording_disk_full' })
  exchange.recordings.disk = room
  const full = { accountId: ada.accountId, callId: 'earlier', kind: 'CALL', createdAt: 1, durationMs: 1, truncated: false } as const
  await record()
  await exchange.store.write((tables) => tables.recordings.insert({ id: 'full', bytes: quota, ...full }))
  await record()
  assert.equal(call.status().recording, true)
  await call.record(false, { announcement: false })
  await assert.rejects(record(), { code: 'recording_quota_reached' })
  assert.equal(call.status().recording, false)
  caller.hangsUp()
  await exchange.rest()
})
