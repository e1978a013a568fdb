import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSearch } from './typed-search.ts'

const read = (written: string) => readSearch(written, 'DE')

test('digits are looked for as numbers are kept, however they are written', () => {
  assert.deepEqual(read('0211 / 635-54').digits, ['021163554', '4921163554'])
  assert.deepEqual(read('+49 (211)').digits, ['49211'])
  assert.deepEqual(read('0049211').digits, ['49211'])
  assert.deepEqual(read('137'), { digits: ['137'], names: [], text: '137' })
  assert.deepEqual(read(' 42 '), { digits: ['42'], names: [] })
  assert.deepEqual(read('00').digits, ['00'])
})

test('letters are looked for in names, without capitals and accents, and in what was written', () => {
  assert.deepEqual(read('MÜLLER'), { digits: [], names: ['muller', 'müller'], text: 'MÜLLER' })
  assert.deepEqual(read('Jo'), { digits: [], names: ['jo'] })
  assert.deepEqual(read('4a'), { digits: [], names: ['4a'] })
})

test('what names nothing is refused', () => {
  for (const nothing of ['', '  ', '7', '+', '%', '***', '()'])
    assert.throws(() => read(nothing), { status: 400, message: /^search needs/ }, nothing)
})
