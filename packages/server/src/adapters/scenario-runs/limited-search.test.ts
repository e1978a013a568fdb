import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limitedSearch } from './limited-search.ts'

const endless = /(a+)+$/u
const text = `${'a'.repeat(60)}!`

test('a pattern is found where it first occurs', () => {
  const search = limitedSearch()
  assert.deepEqual(search(/good ?bye/iu, 'Well, Goodbye then.'), { index: 6, length: 7 })
  assert.equal(search(/hello/iu, 'Goodbye'), undefined)
})

test('a pattern that takes for ever is given up, and so are all others once a conversation had enough of them', () => {
  const search = limitedSearch()
  for (let times = 0; times < 4; times++) assert.throws(() => search(endless, text), /it takes longer than 50 ms/)
  assert.throws(() => search(/x/u, 'x'), /have taken 200 ms/)
  assert.deepEqual(limitedSearch()(/x/u, 'x'), { index: 0, length: 1 })
})
