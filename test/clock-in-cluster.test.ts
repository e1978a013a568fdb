// test: slow
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCluster } from '#test/service/cluster.ts'

const hours = 2 * 60 * 60 * 1000

for (const ms of [hours, -hours])
  test(`keeps a call's duration and owner when the clock is set ${ms > 0 ? 'forward' : 'back'} by two hours`, async (t) => {
    const cluster = await startCluster(t, { processes: 2 })
    const [ada, bob] = [await cluster.phone(0), await cluster.phone(1)]
    const { callId, caller, callee } = await cluster.connect(ada, bob)
    await cluster.clock.advance(10_000)
    cluster.clock.set(ms)
    await cluster.clock.advance(50_000)
    const { store, presence } = cluster.processes[0]?.running.deps ?? assert.fail()
    const own = await store.read.runningCalls.listOf(presence.id, 10)
    assert.deepEqual(
      own.map((call) => [call.callId, call.epoch]),
      [[callId, 1]],
    )
    await caller.session.end()
    await callee.ended
    await cluster.clock.advance(0)
    const { items } = await cluster.api(1).listHistory({ userId: cluster.admin.userId })
    assert.deepEqual(
      items.map((item) => item.type === 'CALL' && item.duration),
      [60],
    )
  })
