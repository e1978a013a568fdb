import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases } from '#test/store/databases.ts'
import { messages, openTimelineFixture, problem, watchAll } from '#test/fixtures/timeline-fixture.ts'

for (const database of databases) {
  test(`${database}: watchers here see what happens elsewhere, as far as it is theirs`, async (t) => {
    const fixture = await openTimelineFixture(t, database)
    const [here, there] = [fixture.open({ shared: true }), fixture.open({ owner: 'there' })]
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

  test(`${database}: of a call elsewhere nothing is missed that was not written yet when a watcher began`, async (t) => {
    const fixture = await openTimelineFixture(t, database)
    const [here, there] = [fixture.open({ shared: true }), fixture.open({ owner: 'there' })]
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

  test(`${database}: a call elsewhere that has gone on for long is followed at once, and told only once`, async (t) => {
    const fixture = await openTimelineFixture(t, database)
    const [here, there] = [fixture.open({ shared: true }), fixture.open({ owner: 'there' })]
    const early = there.open(fixture.accountId, 'c1')
    const timeline = there.openFor({ id: 'f1', name: '', settings: {} }, fixture.accountId, 'c2')
    for (let count = 0; count < 120; count++) {
      for (const one of [early, timeline]) one.note(problem('before'))
      await there.flush()
    }
    await fixture.clock.advance(10)
    const { told, stop } = watchAll(here, fixture.accountId)
    for (const one of [early, timeline]) one.note(problem('new'))
    await there.flush()
    await fixture.clock.advance(600)
    assert.deepEqual(messages(told), ['new', 'new'])
    there.openFor({ id: 'f1', name: '', settings: {} }, fixture.accountId, 'c1').note(problem('newer'))
    await fixture.clock.advance(3_000)
    assert.deepEqual(messages(told), ['new', 'new', 'newer'])
    stop()
    await fixture.clock.advance(1_000)
    for (const one of [early, early, timeline]) one.release()
  })
}
