import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withCode } from '#test/http/with-code.ts'
import { readSearch } from './typed-search.ts'

const read = (written: string) => readSearch(written, 'DE')

test('normalizes digits to the stored form of numbers', () => {
  assert.deepEqual(read('0211 / 635-54').digits, ['021163554', '4921163554'])
  assert.deepEqual(read('+49 (211)').digits, ['49211'])
  assert.deepEqual(read('0049211').digits, ['49211'])
  assert.deepEqual(read('137'), { digits: ['137'], names: [], text: '137' })
  assert.deepEqual(read(' 42 '), { digits: ['42'], names: [] })
  assert.deepEqual(read('00').digits, ['00'])
})

test('searches letters in folded names and in text', () => {
  assert.deepEqual(read('MÜLLER'), { digits: [], names: ['muller', 'müller'], text: 'MÜLLER' })
  assert.deepEqual(read('Jo'), { digits: [], names: ['jo'] })
  assert.deepEqual(read('4a'), { digits: [], names: ['4a'] })
})

test('rejects a search without letters or enough digits', () => {
  for (const nothing of ['', '  ', '7', '+', '%', '***', '()'])
    assert.throws(() => read(nothing), withCode('parameter_invalid', 'search'), nothing)
})
