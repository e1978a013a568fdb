import assert from 'node:assert/strict'
import { test } from 'node:test'
import { suggestionsFor } from './suggestions.ts'

const known = [
  { name: 'Anna Roth', number: '+49301234567' },
  { name: 'Bernd Rothe', number: '+4915112345' },
  { name: '', number: '+49301234567' },
  { name: '', number: '+43199' },
]
const found = (typed: string): string[] => suggestionsFor(typed, known).map(({ name, number }) => name || number)

test('finds people by parts of their name and number, each number once', () => {
  assert.deepEqual(found('roth'), ['Anna Roth', 'Bernd Rothe'])
  assert.deepEqual(found('roth an'), ['Anna Roth'])
  assert.deepEqual(found('030 123'), ['Anna Roth'], 'as it is dialled at home')
  assert.deepEqual(found('0043'), ['+43199'])
  assert.deepEqual(found('+49 30'), ['Anna Roth'])
  assert.deepEqual(found(''), [])
  assert.deepEqual(found('+'), [])
  assert.deepEqual(found('+43199'), [], 'what is there in full need not be offered')
})
