import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TokenBucket, TokenBuckets } from './token-bucket.ts'

const rate = { burst: 10, perSecond: 5 }

const openBuckets = (maxKeys = 100) => {
  const time = { now: 1_000_000 }
  const buckets = new TokenBuckets({ now: () => time.now, elapsed: () => time.now, after: () => () => {} }, maxKeys)
  const taken = (key: string, times: number): number => Array.from({ length: times }, () => buckets.take(key, rate)).filter(Boolean).length
  return { time, buckets, taken }
}

test('allows a burst, then the rate, and saves at most one burst', () => {
  const { time, taken } = openBuckets()
  assert.equal(taken('a', 12), 10)
  time.now += 1_000
  assert.equal(taken('a', 12), 5)
  time.now += 3_600_000
  assert.equal(taken('a', 12), 10)
})

test('keeps keys apart and charges no tokens for a rejected take', () => {
  const { time, buckets, taken } = openBuckets()
  assert.equal(taken('a', 10), 10)
  assert.equal(taken('b', 10), 10)
  assert.equal(buckets.take('a', rate, 2), false)
  time.now += 400
  assert.equal(buckets.take('a', rate, 2), true)
  assert.equal(buckets.take('a', rate, 0.5), false)
})

test('returns the seconds until enough tokens are available', () => {
  const { time, buckets, taken } = openBuckets()
  assert.equal(buckets.secondsUntil('a', rate), 0)
  taken('a', 11)
  assert.equal(buckets.secondsUntil('a', rate), 0.2)
  assert.equal(buckets.secondsUntil('a', rate, 5), 1)
  time.now += 200
  assert.equal(buckets.take('a', rate), true)
})

test('keeps the bucket unchanged when the clock is set back', () => {
  const { time, taken } = openBuckets()
  assert.equal(taken('a', 4), 4)
  time.now -= 3_600_000
  assert.equal(taken('a', 10), 6)
  time.now += 1_000
  assert.equal(taken('a', 10), 5)
})

test('reports available tokens without taking them', () => {
  const bucket = new TokenBucket(rate, 0)
  assert.deepEqual([bucket.holds(rate, 0, 10), bucket.holds(rate, 0, 11), bucket.take(rate, 0, 10)], [true, false, true])
  assert.deepEqual([bucket.holds(rate, 0), bucket.holds(rate, 200)], [false, true])
})

test('applies a lower rate immediately', () => {
  const bucket = new TokenBucket(rate, 0)
  const lower = { burst: 2, perSecond: 1 }
  assert.deepEqual([bucket.take(lower, 0), bucket.take(lower, 0), bucket.take(lower, 0)], [true, true, false])
})

test('keeps a bucket in use while many other keys are added', () => {
  const { buckets, taken } = openBuckets(100)
  assert.equal(taken('a', 10), 10)
  for (let other = 0; other < 1_000; other++) {
    buckets.take(`other ${other}`, rate)
    if (other % 10 === 0) assert.equal(taken('a', 1), 0)
  }
})
