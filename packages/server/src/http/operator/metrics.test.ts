import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases, startWorld } from '#test/world/world.ts'

for (const database of databases) {
  test(`${database}: counts requests in steps of ten seconds or five minutes`, async (t) => {
    const world = await startWorld(t, { database, replaced: { pollIntervalMs: 5_000 } })
    const operator = await world.operator()
    const ada = await world.newAccount()
    for (let n = 0; n < 5; n++) await ada.api.getAccount()
    await world.clock.advance(16_000)
    const { stepSeconds, whole, points } = await operator.readMetrics({ minutes: 2 })
    assert.deepEqual([stepSeconds, points.length], [10, 12])
    const last = points.at(-1)
    assert.deepEqual([last?.httpRequests, last?.httpFailures, last?.callsStarted, last?.callsRunning], [5, 0, 0, 0])
    assert.ok(last?.httpMs && last.httpMs.p50 > 0 && last.httpMs.p50 <= last.httpMs.p95)
    assert.equal(last.turnMs, undefined)
    assert.deepEqual([whole.httpRequests, whole.httpMs, whole.turnMs], [5, last.httpMs, undefined])
    assert.equal(
      points.slice(0, -1).some(({ httpRequests }) => httpRequests > 0),
      false,
    )
    const gaps = points.slice(1).map(({ at }, index) => Date.parse(at) - Date.parse(points[index]?.at ?? ''))
    assert.deepEqual(new Set(gaps), new Set([10_000]))

    await world.clock.jump(300_000)
    const day = await operator.readMetrics({ minutes: 1440 })
    assert.deepEqual([day.stepSeconds, day.points.length, day.points.at(-1)?.httpRequests], [300, 288, 6])
    await assert.rejects(operator.readMetrics({ minutes: 1441 }), { status: 400 })

    await world.clock.advance(5_000)
    await world.clock.jump(30 * 60 * 60_000)
    assert.deepEqual(await world.running.deps.store.read.metrics.list(10_000, 0, world.clock.now() - 86_400_000), [], 'they were swept')
  })
}
