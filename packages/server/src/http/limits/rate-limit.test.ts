import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RateLimit } from './rate-limit.ts'

const openLimit = (perSecond: number) => {
  const time = { now: 1_000_000 }
  const limit = new RateLimit({ now: () => time.now, elapsed: () => time.now, after: () => () => {} }, perSecond)
  const take = (times: number) => {
    for (let count = 0; count < times; count++) limit.take('somebody')
  }
  return { time, take, limit }
}

test('allows a burst of ten seconds, then the rate per second', () => {
  const { time, take } = openLimit(5)
  take(50)
  assert.throws(() => take(1), { status: 429, retryAfter: 1 })
  time.now += 1_000
  take(5)
  assert.throws(() => take(1), { status: 429 })
})

test('locks out no client when the clock is set back', () => {
  const { time, take } = openLimit(5)
  take(10)
  time.now -= 3_600_000
  take(40)
  time.now += 1_000
  take(5)
})

test('keeps an exhausted key that continues to ask among many other keys', () => {
  const { take, limit } = openLimit(5)
  take(50)
  for (let other = 0; other < 120_000; other++) {
    limit.take(`other ${other}`)
    if (other % 1_000 === 0) assert.throws(() => take(1), { status: 429 })
  }
})
