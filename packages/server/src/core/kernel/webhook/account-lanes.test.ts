import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { EndpointUnavailable } from '../ports/assistant.ts'
import { AccountLanes } from './account-lanes.ts'

test('allows fifty concurrent requests per account, queues the rest, and does not delay other accounts', async () => {
  const clock = new VirtualClock()
  const lanes = new AccountLanes(clock)
  const inside = await Promise.all(Array.from({ length: 50 }, () => lanes.enter('slow', 1_000)))
  const entered: number[] = []
  const waiting = [1, 2].map((name) => lanes.enter('slow', 1_000).then((leave) => (entered.push(name), leave)))
  await lanes.enter('quick', 1_000)
  assert.deepEqual(entered, [])
  inside[0]?.()
  await waiting[0]
  assert.deepEqual(entered, [1])
  ;(await waiting[0])?.()
  await waiting[1]
  assert.deepEqual(entered, [1, 2])
  assert.equal(clock.pending(), 0)
})

test('rejects an event that waits too long or exceeds the queue limit', async () => {
  const clock = new VirtualClock()
  const lanes = new AccountLanes(clock)
  const [leave] = await Promise.all(Array.from({ length: 50 }, () => lanes.enter('a', 1_000)))
  const tooLong = assert.rejects(lanes.enter('a', 1_000), EndpointUnavailable)
  await clock.advance(1_000)
  await tooLong
  const waiting = Array.from({ length: 1_000 }, () => lanes.enter('a', 1_000).catch(() => 'late'))
  await assert.rejects(lanes.enter('a', 1_000), /too many events/)
  leave?.()
  assert.equal(typeof (await waiting[0]), 'function')
  await clock.advance(1_000)
  assert.deepEqual(await waiting[1], 'late')
  assert.equal(clock.pending(), 0)
})
