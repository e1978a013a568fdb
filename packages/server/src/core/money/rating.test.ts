import type { Rate } from '#core/kernel/ports/store/money.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '#test/chance/fast-check.ts'
import { billedSeconds, callCost, endlessSeconds, maxSeconds, prefixes, unitCost } from './rating.ts'

const rate = (parts: Partial<Rate>): Rate => ({
  connectFee: 0,
  ratePerMinute: 0,
  minSeconds: 0,
  incrementSeconds: 60,
  perUnit: 0,
  blocked: false,
  ...parts,
})

const anyRate = fc.record({
  connectFee: fc.integer({ min: 0, max: 100_000 }),
  ratePerMinute: fc.integer({ min: 0, max: 1_000_000 }),
  minSeconds: fc.integer({ min: 0, max: 180 }),
  incrementSeconds: fc.integer({ min: 1, max: 180 }),
  perUnit: fc.integer({ min: 0, max: 100_000 }),
  blocked: fc.boolean(),
})
const seconds = fc.integer({ min: 0, max: endlessSeconds })

test('bills pulses of 60/60, 60/1, 1/1 and 30/6', () => {
  const billed = (minSeconds: number, incrementSeconds: number, talked: number[]) =>
    talked.map((second) => billedSeconds(rate({ minSeconds, incrementSeconds }), second))
  assert.deepEqual(billed(60, 60, [0, 1, 59, 60, 61, 120, 121]), [0, 60, 60, 60, 120, 120, 180])
  assert.deepEqual(billed(0, 60, [0, 1, 60, 61]), [0, 60, 60, 120])
  assert.deepEqual(billed(60, 1, [1, 60, 61, 62]), [60, 60, 61, 62])
  assert.deepEqual(billed(1, 1, [1, 2, 3599]), [1, 2, 3599])
  assert.deepEqual(billed(30, 6, [1, 30, 31, 36, 37]), [30, 30, 36, 36, 42])
  assert.deepEqual(billed(1, 1, [0.2, 1.5, -3]), [1, 2, 0])
})

test('rounds the cost up once per call and not per pulse', () => {
  const cents = rate({ ratePerMinute: 179, incrementSeconds: 1 })
  assert.equal(callCost(cents, 1), 3)
  assert.equal(callCost(rate({ ratePerMinute: 1, incrementSeconds: 1 }), 1), 1)
  assert.equal(callCost(cents, 60), 179)
  assert.equal(callCost(cents, 61), 182)
  assert.equal(callCost(cents, 120), 358)
  assert.equal(callCost(rate({ connectFee: 500, ratePerMinute: 1000 }), 61), 2500)
})

test('charges neither talk time nor the connect fee for an unanswered call', () => {
  assert.equal(callCost(rate({ connectFee: 500, ratePerMinute: 1000 }), 0), 0)
})

test('charges per unit', () => {
  assert.equal(unitCost(rate({ perUnit: 790 }), 3), 2370)
  assert.equal(unitCost(rate({ perUnit: 790 }), 0), 0)
})

test('maxSeconds: returns 0 when one unit of money is missing for the first pulse', () => {
  const dear = rate({ connectFee: 100, ratePerMinute: 1000 })
  assert.equal(maxSeconds([dear], 1099), 0)
  assert.equal(maxSeconds([dear], 1100), 60)
  assert.equal(maxSeconds([dear], 2099), 60)
  assert.equal(maxSeconds([dear], 2100), 120)
  assert.equal(maxSeconds([dear], 1e12), endlessSeconds)
  assert.equal(maxSeconds([dear, rate({ ratePerMinute: 500 })], 1599), 0)
  assert.equal(maxSeconds([dear, rate({ ratePerMinute: 500 })], 1600), 60)
  assert.equal(maxSeconds([], 0), endlessSeconds)
})

test('maxSeconds: allows free calls with an empty balance', () => {
  assert.equal(maxSeconds([rate({})], 0), endlessSeconds)
  assert.equal(maxSeconds([rate({ connectFee: 1 })], 0), 0)
})

test('computes exact, non-negative integer costs', () => {
  fc.assert(
    fc.property(anyRate, seconds, (some, talked) => {
      const cost = callCost(some, talked)
      assert.ok(Number.isSafeInteger(cost) && cost >= 0)
      const exact = BigInt(billedSeconds(some, talked)) * BigInt(some.ratePerMinute)
      assert.equal(BigInt(cost), talked === 0 ? 0n : BigInt(some.connectFee) + (exact + 59n) / 60n)
    }),
  )
})

test('never charges less for a longer call, nor bills less than it lasted', () => {
  fc.assert(
    fc.property(anyRate, seconds, seconds, (some, one, other) => {
      const [shorter, longer] = one < other ? [one, other] : [other, one]
      assert.ok(callCost(some, shorter) <= callCost(some, longer))
      assert.ok(billedSeconds(some, longer) >= longer)
    }),
  )
})

test('bills whole pulses and none too many', () => {
  fc.assert(
    fc.property(anyRate, fc.integer({ min: 1, max: endlessSeconds }), (some, talked) => {
      const first = some.minSeconds || some.incrementSeconds
      const billed = billedSeconds(some, talked)
      assert.equal((billed - first) % some.incrementSeconds, 0)
      assert.ok(billed === first || billed - some.incrementSeconds < talked)
    }),
  )
})

test('maxSeconds: returns the largest affordable length', () => {
  fc.assert(
    fc.property(anyRate, fc.integer({ min: 0, max: 10_000_000 }), (some, money) => {
      const max = maxSeconds([some], money)
      assert.ok(max >= 0 && max <= endlessSeconds)
      assert.ok(callCost(some, max) <= money)
      if (max < endlessSeconds) assert.ok(callCost(some, max + 1) > money)
    }),
  )
})

test('lists prefixes, longest first, down to the default rate', () => {
  assert.deepEqual(prefixes('+49211'), ['49211', '4921', '492', '49', '4', ''])
  assert.deepEqual(prefixes('49'), ['49', '4', ''])
  assert.deepEqual(prefixes(''), [''])
})
