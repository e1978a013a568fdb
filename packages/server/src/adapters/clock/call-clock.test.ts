import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { CallClock } from './call-clock.ts'
import { SandboxClock } from './sandbox-clock.ts'

test('calls keep their pace while the sandbox is put forward, and catch up between calls', async () => {
  const wall = new VirtualClock(0)
  const sandbox = new SandboxClock(wall)
  const clock = new CallClock(wall, sandbox)
  let ended = false
  clock.after(60_000, () => (ended = true))
  sandbox.putForward(86_400_000)
  await wall.advance(10_000)
  assert.deepEqual([clock.now(), ended], [10_000, false])
  await wall.advance(50_000)
  assert.ok(ended)
  clock.catchUp()
  assert.equal(clock.now(), sandbox.now())
})

test('during a call it cannot be set; between calls it shows what the system clock does', async () => {
  for (const ms of [7_200_000, -7_200_000]) {
    const wall = new VirtualClock(10_000_000)
    const clock = new CallClock(wall)
    let [talks, ended] = [true, false]
    clock.talks = () => talks
    clock.after(60_000, () => (ended = true))
    await wall.advance(1_000)
    wall.set(ms)
    await wall.advance(58_999)
    assert.deepEqual([clock.now(), ended], [10_059_999, false])
    await wall.advance(1)
    assert.ok(ended)
    talks = false
    assert.equal(clock.now(), 10_060_000 + ms)
    talks = true
    wall.set(-ms)
    assert.equal(clock.now(), 10_060_000 + ms)
  }
})
