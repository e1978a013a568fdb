import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { MetricSources } from './metric-sources.ts'
import type { Sample } from './sample.ts'

const pending = (value: number): Sample[] => [{ name: 'offhook_registrations', value }]

test('polls costly sources only on demand and at most every ten seconds', async () => {
  const clock = new VirtualClock()
  const sources = new MetricSources(clock)
  let looks = 0
  sources.addCostly(async () => pending(++looks))
  await clock.advance(60_000)
  assert.equal(looks, 0)
  assert.deepEqual(await Promise.all([sources.read(), sources.read()]), [pending(1), pending(1)])
  await clock.advance(9_999)
  assert.deepEqual(await sources.read(), pending(1))
  await clock.advance(1)
  assert.deepEqual(await sources.read(), pending(2))
  assert.equal(clock.pending(), 0)
})

test('omits sources that fail or are late', async () => {
  const clock = new VirtualClock()
  const sources = new MetricSources(clock)
  sources.add(() => [{ name: 'offhook_store_up', value: 0 }])
  sources.addCostly(() => Promise.reject(new Error('the database is away')))
  const late = Promise.withResolvers<Sample[]>()
  sources.addCostly(() => late.promise)
  const read = sources.read()
  await clock.advance(2_000)
  assert.deepEqual(await read, [{ name: 'offhook_store_up', value: 0 }])
  late.resolve(pending(7))
  assert.equal((await sources.read()).length, 2, 'nobody is asked twice at the same time')
})
