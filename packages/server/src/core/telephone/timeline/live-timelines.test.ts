import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases } from '#test/store/databases.ts'
import { messages, openTimelineFixture, problem, watchAll } from '#test/fixtures/timeline-fixture.ts'
import { StoreUnavailable, type Store } from '#core/kernel/ports/store/index.ts'
import { attemptOf, messageOf } from './exchange.ts'
import { endLostTimelines } from './late-entries.ts'
import { timelineJobs, timelineSweep, eraseTimelinesOf } from './timeline-sweep.ts'

for (const database of databases) {
  test(`${database}: notifies watchers immediately and writes entries in order, including late ones`, async (t) => {
    const fixture = await openTimelineFixture(t, database)
    const timelines = fixture.open()
    const { told: notified, stop } = watchAll(timelines, fixture.accountId)
    const timeline = timelines.open(fixture.accountId, 'c1')
    for (const message of ['a', 'b']) timeline.note(problem(message))
    assert.deepEqual(messages(notified), ['a', 'b'])
    assert.deepEqual(await fixture.kept(), [])
    await fixture.clock.advance(500)
    timeline.note(problem('c'))
    timeline.release()
    timelines.note(fixture.accountId, 'c1', problem('d'))
    await fixture.clock.advance(6_000)
    const row = await fixture.store.read.timelines.find(fixture.accountId, 'c1')
    assert.ok(row?.closedAt !== undefined && row.lastSequence === 4)
    timelines.note(fixture.accountId, 'c1', problem('e'))
    await timelines.flush()
    assert.deepEqual(messages(notified), ['a', 'b', 'c', 'd', 'e'])
    const kept = await fixture.kept()
    assert.deepEqual(messages(kept), ['a', 'b', 'c', 'd', 'e'])
    assert.deepEqual(
      kept.map(({ sequence }) => sequence),
      [1, 2, 3, 4, 5],
    )
    stop()
  })

  test(`${database}: ends the timelines of a node that is gone`, async (t) => {
    const fixture = await openTimelineFixture(t, database)
    const lost = fixture.open({ owner: 'lost' })
    lost.open(fixture.accountId, 'c1').note(problem('a'))
    await lost.flush()
    const lease = { owner: 'lost', until: 1 }
    await fixture.store.write(({ leases }) => leases.renew(lease))
    assert.equal(await endLostTimelines(fixture, lease), false)
    const [, ended] = await fixture.kept()
    assert.ok(ended?.kind === 'call')
    assert.deepEqual([ended.sequence, ended.state, ended.by, ended.reason], [2, 'ended', 'service', 'service_failure'])
    assert.deepEqual(await fixture.store.read.timelines.listOpenOf('lost', 10), [])
  })

  test(`${database}: erases timelines past their retention, and with the account`, async (t) => {
    const fixture = await openTimelineFixture(t, database)
    const timelines = fixture.open()
    const note = async (callId: string): Promise<void> => {
      const timeline = timelines.open(fixture.accountId, callId)
      timeline.note(problem(callId))
      timeline.release()
      await fixture.clock.advance(6_000)
    }
    await note('old')
    await fixture.clock.advance(3 * 86_400_000)
    await note('new')
    const sweep = timelineSweep(2)
    await fixture.store.write((tables) => sweep.run(tables, fixture.clock.now()))
    assert.deepEqual([messages(await fixture.kept('old')), messages(await fixture.kept('new'))], [[], ['new']])
    await fixture.store.write((tables) => timelineSweep(undefined).run(tables, fixture.clock.now() + 1e12))
    assert.deepEqual(messages(await fixture.kept('new')), ['new'])
    await fixture.store.write((tables) => eraseTimelinesOf(tables, fixture.accountId, 1))
    const [job] = await fixture.store.write((tables) => tables.jobs.lease(['timeline.erase-account'], fixture.clock.now(), 10, 1))
    await timelineJobs(fixture)['timeline.erase-account']?.(job?.payload, { attempts: 1 } as never)
    assert.deepEqual(await fixture.kept('new'), [])
  })
}

test('queues entries while the database is unavailable, up to a limit', async (t) => {
  const fixture = await openTimelineFixture(t)
  let isAway = true
  const write: Store['write'] = (work) => (isAway ? Promise.reject(new StoreUnavailable('away')) : fixture.store.write(work))
  const timelines = fixture.open({ store: { ...fixture.store, read: fixture.store.read, write } })
  const timeline = timelines.open(fixture.accountId, 'c1')
  const body = 'x'.repeat(100_000)
  const delivery = { eventId: 'e', attempt: 1, channel: 'webhook', durationMs: 1, state: 'delivered', error: undefined } as never
  for (let count = 0; count < 1_000; count++) timeline.note(attemptOf(delivery, { request: { headers: {}, body } }, {}))
  await fixture.clock.advance(5_000)
  assert.ok(fixture.errors.length >= 5)
  isAway = false
  await fixture.clock.advance(1_000)
  const kept = await fixture.kept()
  assert.ok(kept.length > 100 && kept.length < 600, `${kept.length} of 1000`)
  timeline.note(problem('goes on'))
  await fixture.clock.advance(1_000)
  assert.equal((await fixture.kept()).at(-1)?.sequence, 1_001)
  timeline.release()
})

test('splits a burst of entries into pieces that can be read one by one', async (t) => {
  const fixture = await openTimelineFixture(t)
  const timelines = fixture.open()
  const timeline = timelines.open(fixture.accountId, 'c1')
  for (let count = 0; count < 20; count++) timeline.note(messageOf('e', Buffer.from('x'.repeat(60_000))))
  timeline.note(messageOf('e', Buffer.from('\u0001'.repeat(60_000)))) // six characters each
  await timelines.flush()
  const pieces = await fixture.store.read.timelines.listPieces(fixture.accountId, 'c1', 0, 100)
  assert.deepEqual(
    pieces.map(({ first, last }) => [first, last]),
    [...Array.from({ length: 10 }, (_, index) => [2 * index + 1, 2 * index + 2]), [21, 21]],
  )
  timeline.release()
})

test('limits the kept size of one call except its end, and shows all entries to watchers', async (t) => {
  const fixture = await openTimelineFixture(t)
  const timelines = fixture.open()
  const { told: notified, stop } = watchAll(timelines, fixture.accountId)
  const timeline = timelines.open(fixture.accountId, 'c1')
  for (let count = 0; count < 70; count++) {
    timeline.note(problem('x'.repeat(1024 * 1024)))
    if (count % 10 === 0) await timelines.flush()
  }
  timeline.note({ kind: 'call', state: 'ended' })
  await timelines.flush()
  const kept = await fixture.kept()
  assert.deepEqual(messages(kept.slice(-2)), ['So much has happened in this call that from here on only its end is kept.', 'call'])
  assert.deepEqual([kept.length, notified.length], [66, 72])
  stop()
  timeline.release()
})

test('writes other timelines when one cannot be written', async (t) => {
  const fixture = await openTimelineFixture(t)
  const timelines = fixture.open()
  const strange = timelines.open('no such account', 'c1')
  const timeline = timelines.open(fixture.accountId, 'c1')
  for (const one of [strange, timeline]) one.note(problem('a'))
  await fixture.clock.advance(500)
  assert.deepEqual([messages(await fixture.kept()), fixture.errors.length], [['a'], 1])
  strange.note(problem('b'))
  await fixture.clock.advance(500)
  assert.equal(fixture.errors.length, 1)
  for (const one of [strange, timeline]) one.release()
})

test('shows partial transcripts to watchers without keeping them', async (t) => {
  const fixture = await openTimelineFixture(t)
  const timelines = fixture.open()
  const { told: notified, stop } = watchAll(timelines, fixture.accountId)
  const timeline = timelines.open(fixture.accountId, 'c1')
  timeline.note({ kind: 'heard', turn: 1, text: 'Hel', final: false, typed: false })
  timeline.note({ kind: 'heard', turn: 1, text: 'Hello', final: true, typed: false })
  await timelines.flush()
  assert.equal(notified.length, 2)
  assert.deepEqual(
    (await fixture.kept()).map(({ sequence }) => sequence),
    [2],
  )
  stop()
  timeline.release()
})

test('masks keys but not signatures, and marks cut bodies', () => {
  const delivery = { eventId: 'e', attempt: 1, channel: 'webhook', durationMs: 1.4, state: 'delivered', error: undefined } as never
  const headers = { 'X-API-Key': 'secret', 'x-api-token': 'secret', 'webhook-signature': 'v1,abc' }
  const response = { status: 200, headers: { 'set-cookie': 'secret' }, body: Buffer.from('ä'.repeat(40_000)) }
  const attempt = attemptOf(delivery, { url: 'https://example.com/', request: { headers, body: 'ü' }, response }, {})
  assert.ok(attempt.kind === 'attempt' && !JSON.stringify(attempt).includes('secret'))
  assert.equal(attempt.durationMs, 1)
  assert.deepEqual(attempt.request, {
    headers: { 'X-API-Key': '***', 'x-api-token': '***', 'webhook-signature': 'v1,abc' },
    body: 'ü',
    bodyBytes: 2,
  })
  assert.deepEqual([attempt.response?.body.length, attempt.response?.bodyBytes, attempt.response?.cut], [32_768, 80_000, true])
})
