import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Rest } from '../thread/paced-loop.ts'

test('a rest lasts four frames, or until a change', () => {
  const changes = { count: 7 }
  const rest = new Rest(changes)
  assert.equal(rest.goesOn(), false)
  rest.begin()
  assert.deepEqual(
    Array.from({ length: 6 }, () => rest.goesOn()),
    [true, true, true, true, false, false],
  )
  rest.begin()
  assert.equal(rest.rests, true)
  changes.count++
  assert.equal(rest.goesOn(), false)
  rest.begin()
  rest.end()
  assert.equal(rest.rests, false)
})
