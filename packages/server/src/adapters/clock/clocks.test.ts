import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { realClock, SandboxClock, CallClock } from './clocks.ts'

const LIMIT = 2 ** 31 - 1

test('now is the time of day in milliseconds', () => {
  const before = Date.now()
  const now = realClock().now()
  assert.ok(now >= before && now <= Date.now())
})

test('runs a task once, not before its delay', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let runs = 0
  realClock().after(1000, () => runs++)
  t.mock.timers.tick(999)
  assert.equal(runs, 0)
  t.mock.timers.tick(1)
  assert.equal(runs, 1)
  t.mock.timers.tick(5000)
  assert.equal(runs, 1)
})

test('waits a delay beyond the limit of Node timers in full', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const asked = t.mock.method(globalThis, 'setTimeout')
  let runs = 0
  realClock().after(2 * LIMIT + 500, () => runs++)
  t.mock.timers.tick(LIMIT)
  t.mock.timers.tick(LIMIT)
  t.mock.timers.tick(499)
  assert.equal(runs, 0)
  t.mock.timers.tick(1)
  assert.equal(runs, 1)
  const delays = asked.mock.calls.map((call) => call.arguments[1])
  assert.deepEqual(delays, [LIMIT, LIMIT, 500])
})

test('a cancelled task never runs, also in the second part of a long delay', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let runs = 0
  const cancelShort = realClock().after(10, () => runs++)
  const cancelLong = realClock().after(LIMIT + 10, () => runs++)
  cancelShort()
  t.mock.timers.tick(LIMIT)
  cancelLong()
  t.mock.timers.tick(1000)
  assert.equal(runs, 0)
})

test('runs a negative delay immediately, and rejects a delay that is not a number', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let runs = 0
  realClock().after(-5, () => runs++)
  t.mock.timers.tick(1)
  assert.equal(runs, 1)
  assert.throws(() => realClock().after(Number.NaN, () => {}), RangeError)
})

test('a waiting task does not keep the process alive', () => {
  const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length
  const before = timers()
  const cancel = realClock().after(60_000, () => {})
  assert.equal(timers(), before)
  cancel()
})

test('a sandbox runs at the pace of the wall clock, ahead of it, and never back', async () => {
  const wall = new VirtualClock(1_000)
  const clock = new SandboxClock(wall)
  assert.equal(clock.now(), 1_000)
  clock.putForward(500)
  clock.putForward(200)
  assert.deepEqual([clock.now(), clock.aheadMs], [1_500, 500])
  await wall.advance(10)
  assert.equal(clock.now(), 1_510)
})

test('runs overtaken timers immediately and others sooner, each once; cancelled ones never', async () => {
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

test('calls keep their pace while the sandbox is advanced, and catch up between calls', async () => {
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

test('cannot be set during a call; between calls it follows the system clock', async () => {
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
