import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases } from '#test/store/databases.ts'
import { messages, openTimelineBench, problem, watchAll } from '#test/stages/timeline-bench.ts'

for (const database of databases) {
  test(`${database}: who watches here sees what happens elsewhere, as far as it is theirs`, async (t) => {
    const bench = await openTimelineBench(t, database)
    const [here, there] = [bench.open({ shared: true }), bench.open({ owner: 'there' })]
    const timeline = there.open(bench.accountId, 'c1')
    timeline.seenBy(() => ['w1'])
    timeline.note(problem('before'))
    await bench.clock.advance(1_000)
    const all = watchAll(here, bench.accountId)
    const ofFlow = watchAll(here, bench.accountId, { flowId: 'f1' })
    const own = watchAll(here, bench.accountId, { userId: 'w1' })
    const foreign = watchAll(here, bench.accountId, { userId: 'w2' })
    const second = there.open(bench.accountId, 'c2')
    timeline.note(problem('one'))
    second.note(problem('early'))
    await bench.clock.advance(1_100)
    there.openFor({ id: 'f1', name: '', settings: {} }, bench.accountId, 'c2').note(problem('two'))
    await bench.clock.advance(1_100)
    timeline.note(problem('three'))
    await bench.clock.advance(1_100)
    assert.deepEqual(messages(all.told).toSorted(), ['early', 'one', 'three', 'two'])
    assert.deepEqual(messages(ofFlow.told), ['early', 'two'])
    assert.deepEqual(messages(own.told), ['one', 'three'])
    assert.deepEqual(foreign.told, [])
    for (const { stop } of [all, ofFlow, own, foreign]) stop()
    await bench.clock.advance(1_000)
    timeline.release()
  })

  test(`${database}: of a call elsewhere nothing is missed that was not written yet when somebody began to watch it`, async (t) => {
    const bench = await openTimelineBench(t, database)
    const [here, there] = [bench.open({ shared: true }), bench.open({ owner: 'there' })]
    const timeline = there.open(bench.accountId, 'c1')
    timeline.note(problem('before'))
    await bench.clock.advance(10)
    const [all, ofCall] = [watchAll(here, bench.accountId), watchAll(here, bench.accountId, { callId: 'c1' })]
    timeline.note(problem('after'))
    await bench.clock.advance(1_100)
    assert.deepEqual([messages(all.told), messages(ofCall.told)], [['after'], ['before', 'after']])
    for (const { stop } of [all, ofCall]) stop()
    await bench.clock.advance(1_000)
    timeline.release()
  })

  test(`${database}: a call elsewhere that has gone on for long is followed at once, and told only once`, async (t) => {
    const bench = await openTimelineBench(t, database)
    const [here, there] = [bench.open({ shared: true }), bench.open({ owner: 'there' })]
    const early = there.open(bench.accountId, 'c1')
    const timeline = there.openFor({ id: 'f1', name: '', settings: {} }, bench.accountId, 'c2')
    for (let count = 0; count < 120; count++) {
      for (const one of [early, timeline]) one.note(problem('before'))
      await there.flush()
    }
    await bench.clock.advance(10)
    const { told, stop } = watchAll(here, bench.accountId)
    for (const one of [early, timeline]) one.note(problem('new'))
    await there.flush()
    await bench.clock.advance(600)
    assert.deepEqual(messages(told), ['new', 'new'])
    there.openFor({ id: 'f1', name: '', settings: {} }, bench.accountId, 'c1').note(problem('newer'))
    await bench.clock.advance(3_000)
    assert.deepEqual(messages(told), ['new', 'new', 'newer'])
    stop()
    await bench.clock.advance(1_000)
    for (const one of [early, early, timeline]) one.release()
  })
}
