import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limitedSearch } from './limited-search.ts'

const endless = /(a+)+$/u
const text = `${'a'.repeat(60)}!`

test('finds a pattern at its first occurrence', () => {
  const search = limitedSearch()
  assert.deepEqual(search(/good ?bye/iu, 'Well, Goodbye then.'), { index: 6, length: 7 })
  assert.equal(search(/hello/iu, 'Goodbye'), undefined)
})

test('gives up on an endless pattern, and on all others once a conversation has used up its limit', () => {
  const search = limitedSearch()
  for (let times = 0; times < 10; times++) assert.throws(() => search(endless, text), /it takes longer than 20 ms/)
  assert.throws(() => search(/x/u, 'x'), /have taken 200 ms/)
  assert.deepEqual(limitedSearch()(/x/u, 'x'), { index: 0, length: 1 })
})

test('tries again while the thread waits for a processor', () => {
  let readings = 0
  const search = limitedSearch(() => (readings++ < 4 ? 0 : 20))
  assert.throws(() => search(endless, text), /it takes longer than 20 ms/)
  assert.equal(readings, 5)
})
