import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { IdleCollection } from './idle-collection.ts'

test('collects garbage once after calls, when there was no call for two minutes', async () => {
  const clock = new VirtualClock()
  const calls = { started: 0, running: 0 }
  let [trims, collections] = [0, 0]
  const idle = new IdleCollection({ clock, calls: () => calls, trim: () => trims++, collect: () => collections++ })
  await clock.advance(300_000)
  assert.deepEqual([trims, collections], [5, 0], 'nothing has happened yet')
  calls.started = 100
  calls.running = 1
  await clock.advance(300_000)
  assert.equal(collections, 0, 'a call is running')
  calls.running = 0
  await clock.advance(60_000)
  calls.started++
  await clock.advance(120_000)
  assert.equal(collections, 0, 'there was a call')
  await clock.advance(60_000)
  assert.equal(collections, 1)
  await clock.advance(600_000)
  assert.equal(collections, 1)
  await idle.close()
  assert.equal(clock.pending(), 0)
})
