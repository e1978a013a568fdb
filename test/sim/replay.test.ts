import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestSqlite } from '#test/store/test-sqlite.ts'
import { bistro, recordCalls, replayCall } from '#test/session/recorded-calls.ts'
import { seededChanges, turnOfChange } from '#test/session/seeded-changes.ts'

test('replays recorded calls identically with the same endpoint, and finds every change at its turn', async (t) => {
  const calls = await recordCalls(await openTestSqlite(t), 30)
  const beats = calls.flatMap(({ recorded }) => recorded.beats)
  assert.ok(
    beats.some(({ said }) => said.some(({ cut }) => cut)),
    'somebody interrupts',
  )
  assert.deepEqual(
    new Set(calls.map(({ recorded }) => recorded.ended)),
    new Set(['assistant_hangup', 'caller_hangup', 'transferred', undefined]),
  )
  for (const call of calls) assert.equal(await replayCall(call, bistro), undefined)
  for (const change of seededChanges) {
    const call =
      calls.find((one) => turnOfChange(one, change) !== undefined) ?? assert.fail(`no call has anything to do with: ${change.name}`)
    assert.equal((await replayCall(call, change.answer))?.turn, turnOfChange(call, change), change.name)
  }
})
