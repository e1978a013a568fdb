import assert from 'node:assert/strict'
import { test } from 'node:test'
import { best, limitsFor, verdict } from './verdict.ts'

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
