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

test('a burst, then the rate, and never more than a burst is saved', () => {
  const { time, taken } = openBuckets()
  assert.equal(taken('a', 12), 10)
  time.now += 1_000
  assert.equal(taken('a', 12), 5)
  time.now += 3_600_000
  assert.equal(taken('a', 12), 10)
})

test('keys do not share a bucket, and what was refused costs nothing', () => {
  const { time, buckets, taken } = openBuckets()
  assert.equal(taken('a', 10), 10)
  assert.equal(taken('b', 10), 10)
  assert.equal(buckets.take('a', rate, 2), false)
  time.now += 400
  assert.equal(buckets.take('a', rate, 2), true)
  assert.equal(buckets.take('a', rate, 0.5), false)
})

test('it tells how long to wait', () => {
  const { time, buckets, taken } = openBuckets()
  assert.equal(buckets.secondsUntil('a', rate), 0)
  taken('a', 11)
  assert.equal(buckets.secondsUntil('a', rate), 0.2)
  assert.equal(buckets.secondsUntil('a', rate, 5), 1)
  time.now += 200
  assert.equal(buckets.take('a', rate), true)
})

test('a clock that is set back neither fills nor empties a bucket', () => {
  const { time, taken } = openBuckets()
  assert.equal(taken('a', 4), 4)
  time.now -= 3_600_000
  assert.equal(taken('a', 10), 6)
  time.now += 1_000
  assert.equal(taken('a', 10), 5)
})

test('a lower rate is in force at once', () => {
  const bucket = new TokenBucket(rate, 0)
  const lower = { burst: 2, perSecond: 1 }
  assert.deepEqual([bucket.take(lower, 0), bucket.take(lower, 0), bucket.take(lower, 0)], [true, true, false])
})

test('many other keys do not refill the bucket of one that is in use', () => {
  const { buckets, taken } = openBuckets(100)
  assert.equal(taken('a', 10), 10)
  for (let other = 0; other < 1_000; other++) {
    buckets.take(`other ${other}`, rate)
    if (other % 10 === 0) assert.equal(taken('a', 1), 0)
  }
})
