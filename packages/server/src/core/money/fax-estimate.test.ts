import assert from 'node:assert/strict'
import { test } from 'node:test'
import { estimateFaxSeconds } from './reservations.ts'

test('estimates half a minute to connect and a minute per page', () => {
  assert.deepEqual([1, 2, 10].map(estimateFaxSeconds), [90, 150, 630])
})
