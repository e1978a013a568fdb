import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestDatabase } from '#test/store/databases.ts'

test('a broken row does not hide the others', async (t) => {
  const { store, query } = await openTestDatabase(t, 'sqlite')
  const snapshot = { startedAt: 1, sides: [], meters: [], recordings: [], dialogs: [] }
  await store.write(({ runningCalls }) => runningCalls.open({ callId: 'good', owner: 'o', epoch: 1, startedAt: 1, savedAt: 2, snapshot }))
  await query(`insert into running_call (call_id, owner, saved_at, snapshot) values ('broken', 'o', 1, '{"startedAt":')`)
  assert.deepEqual(
    (await store.read.runningCalls.listOf('o', 9)).map((call) => [call.callId, call.snapshot]),
    [
      ['broken', {}],
      ['good', snapshot],
    ],
  )
})
