// test: own process
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCluster } from './cluster.ts'

test('shares accounts and phones between the processes of one installation, and assigns each call to one of them', async (t) => {
  const cluster = await startCluster(t, { processes: 2 })
  const [caller, callee] = [await cluster.phone(0), await cluster.phone(1)]
  const { callId, caller: calling, callee: called } = await cluster.connect(caller, callee)
  const { running } = cluster.processes[0] ?? assert.fail()
  await running.idle()
  const own = await running.deps.store.read.runningCalls.listOf(running.deps.presence.id, 10)
  assert.deepEqual(
    own.map((call) => call.callId),
    [callId],
  )
  await calling.session.end()
  await called.ended
})
