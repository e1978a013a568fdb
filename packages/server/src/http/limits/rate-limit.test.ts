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

test('a burst of ten seconds, then so many a second', () => {
  const { time, take } = openLimit(5)
  take(50)
  assert.throws(() => take(1), { status: 429, retryAfter: 1 })
  time.now += 1_000
  take(5)
  assert.throws(() => take(1), { status: 429 })
})

test('a clock that is set back locks nobody out', () => {
  const { time, take } = openLimit(5)
  take(10)
  time.now -= 3_600_000
  take(40)
  time.now += 1_000
  take(5)
})

test('a crowd of others does not make it forget who has used up everything and goes on asking', () => {
  const { take, limit } = openLimit(5)
  take(50)
  for (let other = 0; other < 120_000; other++) {
    limit.take(`other ${other}`)
    if (other % 1_000 === 0) assert.throws(() => take(1), { status: 429 })
  }
})
