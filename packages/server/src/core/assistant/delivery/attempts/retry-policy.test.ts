import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '#test/chance/fast-check.ts'
import { OutboundFailure } from '#core/kernel/ports/outbound.ts'
import { isTrouble, pauseBefore, verdictOn, type Outcome, pauseBeforeReconnect } from './attempt.ts'

const failure = (kind: OutboundFailure['kind']): Outcome => ({ failure: new OutboundFailure(kind, '') })
const now = Date.UTC(2026, 10, 15)
const pause = (outcome: Outcome, leftMs = 8_000, random = 0) => pauseBefore(outcome, { leftMs, now, random: () => random })

test('retries only transient failures, after 100 to 250 ms', () => {
  const again: Outcome[] = [{ status: 429 }, { status: 502 }, { status: 503 }, { status: 504 }, failure('connect'), failure('broken')]
  for (const outcome of again) assert.deepEqual([pause(outcome), pause(outcome, 8_000, 1)], [100, 250])
  const once: Outcome[] = [
    { status: 200 },
    { status: 302 },
    { status: 400 },
    { status: 404 },
    { status: 410 },
    { status: 500 },
    failure('refused'),
    failure('timeout'),
    failure('too_large'),
    failure('aborted'),
  ]
  for (const outcome of once) assert.equal(pause(outcome), undefined)
  assert.equal(pause(failure('broken'), 349), undefined, 'no time is left')
  assert.equal(pause(failure('broken'), 350), 100)
})

test('honours Retry-After in seconds and as a date, if time is left', () => {
  const after = (retryAfter: string) => pause({ status: 503, retryAfter })
  assert.equal(after('3'), 3_000)
  assert.equal(after('0'), 100)
  assert.equal(after('8'), undefined)
  assert.equal(after(new Date(now + 2_000).toUTCString()), 2_000)
  assert.equal(after(new Date(now - 2_000).toUTCString()), 100)
  for (const odd of ['', 'soon', '-1', '1e9']) assert.equal(after(odd), 100, odd)
  fc.assert(
    fc.property(fc.string(), (retryAfter) => {
      const wait = after(retryAfter)
      assert.ok(wait === undefined || (wait >= 100 && wait <= 8_000))
    }),
  )
})

test('maps an outcome to a session verdict and a circuit-breaker result', () => {
  const meaning = (outcome: Outcome) => [verdictOn(outcome), isTrouble(outcome)]
  assert.deepEqual(meaning({ status: 204 }), ['replied', false])
  assert.deepEqual(meaning({ status: 422 }), ['declined', false])
  assert.deepEqual(meaning({ status: 403 }), ['unavailable', false])
  assert.deepEqual(meaning({ status: 301 }), ['unavailable', false])
  assert.deepEqual(meaning({ status: 429 }), ['unavailable', true])
  assert.deepEqual(meaning({ status: 500 }), ['unavailable', true])
  assert.deepEqual(meaning({ status: 410 }), ['gone', false])
  assert.deepEqual(meaning(failure('timeout')), ['unavailable', true])
  assert.deepEqual(meaning(failure('refused')), ['unavailable', false])
  assert.deepEqual(meaning(failure('too_large')), ['unavailable', false])
  assert.deepEqual(meaning({ status: 200, refused: 'the answer is not JSON' }), ['unavailable', false])
})

test('reconnects a WebSocket after 0.25, 0.5, 1, 2 and 4 s with jitter, within its budget', () => {
  const tries = [0, 1, 2, 3, 4, 5].map((failed) => pauseBeforeReconnect(failed, { leftMs: 10_000, random: () => 0 }))
  assert.deepEqual(tries, [250, 500, 1_000, 2_000, 4_000, undefined])
  assert.equal(pauseBeforeReconnect(0, { leftMs: 10_000, random: () => 1 }), 300)
  assert.equal(pauseBeforeReconnect(3, { leftMs: 2_000, random: () => 0 }), undefined)
})
