import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { gapsBetween, isPending } from '#core/telephone/recordings/recording-gaps.ts'
import { databases, type Database } from '#test/store/databases.ts'
import { recoverParts, openTalk } from '#test/routing/lost-calls.ts'
import { openExchange, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'
import { openSecond } from '#test/routing/second-process.ts'
import { recoverAll } from './end-lost-call.ts'

/** A recorded call at a node with a data folder of its own. */
const recordedTalk = async (t: TestContext, database: Database) => {
  const talk = await openTalk(t, database)
  const { exchange, ada } = talk
  exchange.recordings.place = 'a /data'
  const caller = { kind: 'user', ...ada, admin: true, scopes: ['all'], tokenId: 'x' } as const
  const [call = assert.fail('no call')] = exchange.calls.list(caller)
  await exchange.seconds(5)
  await call.record(true, { announcement: false })
  return { ...talk, startedAt: exchange.clock.now() }
}

/** The node is killed; another one takes its call over, and records on. */
const takenOver = async (t: TestContext, exchange: Exchange, place: string) => {
  exchange.crash()
  const second = openSecond(t, exchange)
  second.exchange.recordings.place = place
  await second.exchange.seconds(1)
  await second.takeOver()
  return second
}

const partsOf = async (exchange: Exchange, ada: Customer) => {
  const { detail } = await exchange.entry(ada)
  const [recording = assert.fail('no recording'), ...others] = detail.recordings ?? []
  assert.deepEqual(others, [], 'it is one recording')
  return { recording, parts: await exchange.store.read.recordings.listParts(ada.accountId, recording.id) }
}

for (const database of databases) {
  test(`${database}: keeps the files of both nodes as one recording, the first of which is awaited`, async (t) => {
    const { exchange, ada, startedAt } = await recordedTalk(t, database)
    await exchange.seconds(10)
    const { exchange: taker } = await takenOver(t, exchange, 'b /data')
    const resumedAt = taker.clock.now()
    await taker.seconds(7)
    taker.telephony.resumed[0]?.hangsUp()
    await taker.rest()
    const { recording, parts } = await partsOf(taker, ada)
    assert.deepEqual(recording, { id: parts[0]?.id, parts: 2 })
    assert.deepEqual(
      parts.map(({ place, awaited, bytes, partOf }) => ({ place, awaited, isKnown: bytes > 0, partOf })),
      [
        { place: 'a /data', awaited: true, isKnown: false, partOf: undefined },
        { place: 'b /data', awaited: false, isKnown: true, partOf: recording.id },
      ],
    )
    assert.equal(parts[0]?.createdAt, startedAt)
    assert.ok(isPending(parts))
    await taker.store.write((tables) =>
      tables.recordings.fill(ada.accountId, recording.id, { durationMs: 10_000, bytes: 9, awaited: false }),
    )
    const filled = await taker.store.read.recordings.listParts(ada.accountId, recording.id)
    const createdAt = filled[1]?.createdAt ?? assert.fail('one file')
    assert.deepEqual(gapsBetween(filled), [{ at: 10, seconds: (createdAt - startedAt) / 1000 - 10 }])
    assert.ok(createdAt <= resumedAt && !isPending(filled))
  })
}

test('keeps three files of one recording after two takeovers', async (t) => {
  const { exchange, ada } = await recordedTalk(t, 'sqlite')
  await exchange.seconds(10)
  const { exchange: taker } = await takenOver(t, exchange, 'b /data')
  await taker.seconds(5)
  const { exchange: last } = await takenOver(t, taker, 'c /data')
  await last.seconds(5)
  last.telephony.resumed[0]?.hangsUp()
  await last.rest()
  const { recording, parts } = await partsOf(last, ada)
  assert.deepEqual(
    parts.map(({ place, awaited, partOf }) => [place, awaited, partOf]),
    [
      ['a /data', true, undefined],
      ['b /data', true, recording.id],
      ['c /data', false, recording.id],
    ],
  )
})

test('measures the file of a killed node that recorded to a folder of this machine', async (t) => {
  const { exchange, ada } = await recordedTalk(t, 'sqlite')
  await exchange.seconds(10)
  exchange.crash()
  const [saved] = await exchange.store.read.runningCalls.listOf(exchange.leases.owner, 9)
  const [running = assert.fail('nothing is being recorded')] = saved?.snapshot.recordings ?? []
  exchange.recordings.put(running, new Uint8Array(160_044))
  await recoverAll(recoverParts(exchange), 'the next run')
  const { recording, parts } = await partsOf(exchange, ada)
  assert.deepEqual(recording, { id: running.id, truncated: true })
  assert.deepEqual(
    parts.map(({ durationMs, awaited }) => [durationMs, awaited]),
    [[10_000, false]],
  )
})

test('reports a voicemail whose file is at a machine that is away, unless it was too short', async (t) => {
  for (const [seconds, isReported] of [
    [0.5, false],
    [6, true],
  ] as const) {
    const exchange = await openExchange(t)
    const ada = await exchange.newCustomer()
    exchange.recordings.place = 'a /data'
    exchange.telephony.register(ada.accountId, ada.deviceId, 0)
    await exchange.callIn(ada.number)
    await exchange.seconds(4 + seconds)
    const [saved = assert.fail('no call')] = await exchange.store.read.runningCalls.listOf(exchange.leases.owner, 9)
    await exchange.store.write(({ runningCalls }) => runningCalls.update(saved, saved.snapshot, exchange.clock.now()))
    exchange.crash()
    const { exchange: other } = openSecond(t, exchange)
    other.recordings.place = 'b /data'
    await recoverAll(recoverParts(other), 'another')
    const { type, detail } = await other.entry(ada)
    assert.equal(type, isReported ? 'VOICEMAIL' : 'CALL')
    const rows = await other.store.read.recordings.list(ada.accountId, 9)
    assert.deepEqual(
      rows.map(({ kind, awaited, bytes, place }) => [kind, awaited, bytes, place]),
      isReported ? [['VOICEMAIL', true, 0, 'a /data']] : [],
    )
    if (isReported) assert.deepEqual([detail.duration, detail.recordings?.[0]?.parts], [6, 1])
  }
})
