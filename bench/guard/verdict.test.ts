import assert from 'node:assert/strict'
import { test } from 'node:test'
import { best, cheaperOf, limitsFor, limitsOf, verdict } from './verdict.ts'

test('a cost that doubled is over its limit, one that grew by half is not', () => {
  const limits = limitsFor({ call: 10, packet: 0.0123 })
  assert.deepEqual(limits, { call: 18, packet: 0.0221 })
  assert.deepEqual(verdict({ call: 20, packet: 0.0184 }, limits), [
    { row: 'call', ratio: 20, limit: 18, kept: false },
    { row: 'packet', ratio: 0.0184, limit: 0.0221, kept: true },
  ])
})

test('nothing passes because nobody looked', () => {
  assert.throws(() => verdict({ call: 1, request: 1 }, { call: 2 }), /no limit for request/)
  assert.throws(() => verdict({ call: 1 }, { call: 2, request: 2 }), /not measured: request/)
  assert.throws(() => best([]), /no round/)
})

test('of two measurements the better one counts, row by row', () => {
  const first = verdict({ call: 20, request: 1 }, { call: 18, request: 2 })
  assert.deepEqual(cheaperOf(first, { call: 12, request: 3 }), { call: 12, request: 1 })
})

test('each kind of processor has its limits, an unknown one the widest', () => {
  const limits = { arm64: { call: 4, request: 0.2 }, x64: { call: 8, request: 0.1 } }
  assert.deepEqual(limitsOf(limits, 'arm64'), { call: 4, request: 0.2 })
  assert.deepEqual(limitsOf(limits, 'riscv64'), { call: 8, request: 0.2 })
})
