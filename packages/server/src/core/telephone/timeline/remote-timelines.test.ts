import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LocalHub, localBus } from '#adapters/bus/local-bus.ts'
import { FaultyBus } from '#test/service/faulty-bus.ts'
import { databases } from '#test/store/databases.ts'
import type { PeerNode } from '#core/kernel/ports/platform.ts'
import { messages, openTimelineFixture, problem, watchAll, type TimelineFixture } from '#test/fixtures/timeline-fixture.ts'

const readingOnly = { bus: localBus(), peerNodes: { others: () => [] } }

for (const database of databases) {
  test(`${database}: shows entries of other nodes to the watchers they belong to`, async (t) => {
    const fixture = await openTimelineFixture(t, database)
    const [here, there] = [fixture.open({ others: readingOnly }), fixture.open({ owner: 'there' })]
    const timeline = there.open(fixture.accountId, 'c1')
    timeline.seenBy(() => ['w1'])
    timeline.note(problem('before'))
    await fixture.clock.advance(1_000)
    const all = watchAll(here, fixture.accountId)
    const ofFlow = watchAll(here, fixture.accountId, { flowId: 'f1' })
    const own = watchAll(here, fixture.accountId, { userId: 'w1' })
    const foreign = watchAll(here, fixture.accountId, { userId: 'w2' })
    const second = there.open(fixture.accountId, 'c2')
    timeline.note(problem('one'))
    second.note(problem('early'))
    await fixture.clock.advance(1_100)
    there.openFor({ id: 'f1', name: '', settings: {} }, fixture.accountId, 'c2').note(problem('two'))
    await fixture.clock.advance(1_100)
    timeline.note(problem('three'))
    await fixture.clock.advance(1_100)
    assert.deepEqual(messages(all.told).toSorted(), ['early', 'one', 'three', 'two'])
    assert.deepEqual(messages(ofFlow.told), ['early', 'two'])
    assert.deepEqual(messages(own.told), ['one', 'three'])
    assert.deepEqual(foreign.told, [])
    for (const { stop } of [all, ofFlow, own, foreign]) stop()
    await fixture.clock.advance(1_000)
    timeline.release()
  })

  test(`${database}: shows entries that were not written yet when a watcher began`, async (t) => {
    const fixture = await openTimelineFixture(t, database)
    const [here, there] = [fixture.open({ others: readingOnly }), fixture.open({ owner: 'there' })]
    const timeline = there.open(fixture.accountId, 'c1')
    timeline.note(problem('before'))
    await fixture.clock.advance(10)
    const [all, ofCall] = [watchAll(here, fixture.accountId), watchAll(here, fixture.accountId, { callId: 'c1' })]
    timeline.note(problem('after'))
    await fixture.clock.advance(1_100)
    assert.deepEqual([messages(all.told), messages(ofCall.told)], [['after'], ['before', 'after']])
    for (const { stop } of [all, ofCall]) stop()
    await fixture.clock.advance(1_000)
    timeline.release()
  })

  test(`${database}: follows a long call on another node immediately, without duplicates`, async (t) => {
    const fixture = await openTimelineFixture(t, database)
    const [here, there] = [fixture.open({ others: readingOnly }), fixture.open({ owner: 'there' })]
    const early = there.open(fixture.accountId, 'c1')
    const timeline = there.openFor({ id: 'f1', name: '', settings: {} }, fixture.accountId, 'c2')
    for (let count = 0; count < 120; count++) {
      for (const one of [early, timeline]) one.note(problem('before'))
      await there.flush()
    }
    await fixture.clock.advance(10)
    const { told: notified, stop } = watchAll(here, fixture.accountId)
    for (const one of [early, timeline]) one.note(problem('new'))
    await there.flush()
    await fixture.clock.advance(600)
    assert.deepEqual(messages(notified), ['new', 'new'])
    there.openFor({ id: 'f1', name: '', settings: {} }, fixture.accountId, 'c1').note(problem('newer'))
    await fixture.clock.advance(3_000)
    assert.deepEqual(messages(notified), ['new', 'new', 'newer'])
    stop()
    await fixture.clock.advance(1_000)
    for (const one of [early, early, timeline]) one.release()
  })
}

/** Two connected nodes. */
const openPair = (fixture: TimelineFixture) => {
  const hub = new LocalHub()
  const buses = [new FaultyBus(hub), new FaultyBus(hub)] as const
  const peerNodes = { others: () => [{} as PeerNode] }
  const [here, there] = buses.map((bus, index) => fixture.open({ owner: index === 0 ? 'here' : 'there', others: { bus, peerNodes } }))
  assert.ok(here && there)
  return { here, there, buses, hub }
}

test('shows entries of another node immediately, once and in order, including earlier ones', async (t) => {
  const fixture = await openTimelineFixture(t)
  const { here, there } = openPair(fixture)
  const timeline = there.open(fixture.accountId, 'c1')
  timeline.seenBy(() => ['w1'])
  timeline.note(problem('before'))
  await fixture.clock.advance(10)
  const watches = [{}, { callId: 'c1' }, { userId: 'w1' }, { flowId: 'f1' }, { userId: 'w2' }].map((more) =>
    watchAll(here, fixture.accountId, more),
  )
  await here.written()
  assert.deepEqual(messages(await fixture.kept()), ['before'], 'so that who watches the call can read it')
  for (let count = 0; count < 20; count++) timeline.note(problem(`${count}`))
  await fixture.clock.advance(0)
  const all = Array.from({ length: 20 }, (_, count) => `${count}`)
  assert.deepEqual(messages(watches[0]?.told ?? []), all)
  there.openFor({ id: 'f1', name: '', settings: {} }, fixture.accountId, 'c1').note(problem('flow'))
  await fixture.clock.advance(20_000)
  assert.deepEqual(messages(watches[0]?.told ?? []), [...all, 'flow'], 'what is read in the store is not told again')
  assert.deepEqual(
    messages(watches[1]?.told ?? []).filter((one) => one !== 'before'),
    [...all, 'flow'],
  )
  assert.deepEqual(messages(watches[2]?.told ?? []), [...all, 'flow'])
  assert.deepEqual(messages(watches[3]?.told ?? []), ['before', ...all.slice(0, 7), 'flow'])
  assert.deepEqual(watches[4]?.told, [])
  for (const { stop } of watches) stop()
  for (const one of [timeline, timeline]) one.release()
})

test('does not send entries without watchers on the other node', async (t) => {
  const fixture = await openTimelineFixture(t)
  const { here, there, buses } = openPair(fixture)
  const timelines = ['c1', 'c2'].map((callId) => there.open(fixture.accountId, callId))
  const notifications = async (): Promise<number> => {
    const before = buses[1].sent
    for (const timeline of timelines) timeline.note(problem('x'))
    await fixture.clock.advance(0)
    return buses[1].sent - before
  }
  assert.equal(await notifications(), 0)
  const { stop, told: heard } = watchAll(here, fixture.accountId, { callId: 'c2' })
  await fixture.clock.advance(0)
  assert.equal(await notifications(), 1)
  assert.equal(heard.at(-1)?.sequence, 2)
  await fixture.clock.advance(60_000)
  assert.equal(await notifications(), 1, 'it is still watched')
  stop()
  await fixture.clock.advance(0)
  assert.equal(await notifications(), 0)
  const again = watchAll(here, fixture.accountId)
  await fixture.clock.advance(0)
  buses[0].become('still')
  await fixture.clock.advance(40_000)
  assert.equal(await notifications(), 0, 'its process is gone')
  buses[0].become('well')
  again.stop()
  for (const timeline of timelines) timeline.release()
})

test('reads lost entries from the store before it shows later ones', async (t) => {
  const fixture = await openTimelineFixture(t)
  const { here, there, buses } = openPair(fixture)
  const timeline = there.open(fixture.accountId, 'c1')
  const { told: notified, stop } = watchAll(here, fixture.accountId)
  await fixture.clock.advance(0)
  timeline.note(problem('a'))
  await fixture.clock.advance(0)
  buses[0].become('still')
  timeline.note(problem('b'))
  await fixture.clock.advance(0)
  buses[0].become('well')
  timeline.note(problem('c'))
  timeline.note(problem('x'.repeat(100_000)))
  timeline.note(problem('d'))
  await fixture.clock.advance(0)
  assert.deepEqual(messages(notified), ['a'])
  await fixture.clock.advance(1_000)
  assert.deepEqual(
    messages(notified).map((one) => one.slice(0, 1)),
    ['a', 'b', 'c', 'x', 'd'],
  )
  buses[0].become('cut')
  timeline.note(problem('e'))
  await fixture.clock.advance(1_100)
  buses[0].become('well')
  timeline.note(problem('f'))
  await fixture.clock.advance(1_100)
  assert.deepEqual(
    messages(notified).map((one) => one.slice(0, 1)),
    ['a', 'b', 'c', 'x', 'd', 'e', 'f'],
  )
  stop()
  timeline.release()
})

test('shows entries of another node that are not kept', async (t) => {
  const fixture = await openTimelineFixture(t)
  const { here, there } = openPair(fixture)
  const { told: notified, stop } = watchAll(here, fixture.accountId)
  await fixture.clock.advance(0)
  const timeline = there.openFor({ id: 'f1', name: '', settings: { keepTimeline: false } }, fixture.accountId, 'c1')
  for (const message of ['a', 'b']) timeline.note(problem(message))
  await fixture.clock.advance(0)
  assert.deepEqual(messages(notified), ['a', 'b'])
  stop()
  timeline.release()
})
