import assert from 'node:assert/strict'
import { test } from 'node:test'
import { best, cheaperOf, limitsFor, limitsOf, verdict } from './verdict.ts'

test('fails a cost that doubled, passes one that grew by half', () => {
  const limits = limitsFor({ call: 10, packet: 0.0123 })
  assert.deepEqual(limits, { call: 18, packet: 0.0221 })
  assert.deepEqual(verdict({ call: 20, packet: 0.0184 }, limits), [
    { row: 'call', ratio: 20, limit: 18, kept: false },
    { row: 'packet', ratio: 0.0184, limit: 0.0221, kept: true },
  ])
})

test('fails a row without a limit and a limit without a row', () => {
  assert.throws(() => verdict({ call: 1, request: 1 }, { call: 2 }), /no limit for request/)
  assert.throws(() => verdict({ call: 1 }, { call: 2, request: 2 }), /not measured: request/)
  assert.throws(() => best([]), /no round/)
})

test('takes the better of two measurements for each row', () => {
  const first = verdict({ call: 20, request: 1 }, { call: 18, request: 2 })
  assert.deepEqual(cheaperOf(first, { call: 12, request: 3 }), { call: 12, request: 1 })
})

test('uses the limits of the processor type, the widest ones for an unknown type', () => {
  const limits = { arm64: { call: 4, request: 0.2 }, x64: { call: 8, request: 0.1 } }
  assert.deepEqual(limitsOf(limits, 'arm64'), { call: 4, request: 0.2 })
  assert.deepEqual(limitsOf(limits, 'riscv64'), { call: 8, request: 0.2 })
})
