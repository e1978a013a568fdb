import assert from 'node:assert/strict'
import { test } from 'node:test'
import { realClock } from './real-clock.ts'

const LIMIT = 2 ** 31 - 1

test('now is the time of day in milliseconds', () => {
  const before = Date.now()
  const now = realClock().now()
  assert.ok(now >= before && now <= Date.now())
})

test('a task runs once, after its delay and not earlier', (t) => {
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

test('a delay beyond what a Node timer can hold is waited for in full', (t) => {
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

test('a negative delay means at once, and a delay that is no number is refused', (t) => {
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
