import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { SandboxClock } from './sandbox-clock.ts'

test('a sandbox goes as fast as the clock on the wall, ahead of it, and never back', async () => {
  const wall = new VirtualClock(1_000)
  const clock = new SandboxClock(wall)
  assert.equal(clock.now(), 1_000)
  clock.putForward(500)
  clock.putForward(200)
  assert.deepEqual([clock.now(), clock.aheadMs], [1_500, 500])
  await wall.advance(10)
  assert.equal(clock.now(), 1_510)
})

test('timers that are overtaken run at once, the others sooner, each once; cancelled ones never', async () => {
  const wall = new VirtualClock(0)
  const clock = new SandboxClock(wall)
  const rung: string[] = []
  clock.after(100, () => rung.push(`early at ${clock.now()}`))
  clock.after(1_000, () => rung.push(`late at ${clock.now()}`))
  clock.after(100, () => rung.push('never'))()
  clock.putForward(700)
  await wall.advance(0)
  assert.deepEqual(rung, ['early at 700'])
  await wall.advance(299)
  assert.equal(rung.length, 1)
  await wall.advance(1)
  assert.deepEqual(rung, ['early at 700', 'late at 1000'])
  assert.equal(wall.pending(), 0)
})
