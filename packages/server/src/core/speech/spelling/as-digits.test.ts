import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asDigits } from './as-digits.ts'

test('converts answers to a digit question to digits, including homophones', () => {
  const cases: [string, string][] = [
    ['Aid.', '8.'],
    ['For', '4'],
    ['Too,', '2,'],
    ['Oh', '0'],
    ['Four.', '4.'],
    ['Three, one, five.', '3 1 5.'],
    ['five for too', '5 4 2'],
    ['It is 3 4 aid.', 'It is 3 4 8.'],
    ['double five, triple zero', '5 5 0 0 0'],
    ['315 oh 7', '315 0 7'],
    ['Too late for that, I am afraid.', 'Too late for that, I am afraid.'],
    ['I do not know.', 'I do not know.'],
    ['', ''],
    ['"Eight"', '"8"'],
  ]
  for (const [heard, digits] of cases) assert.equal(asDigits(heard, 'en-GB'), digits)
})

test('converts German digit words, and keeps words of other languages', () => {
  assert.equal(asDigits('Null drei null, zwo wir sechs.', 'de'), '0 3 0 2 4 6.')
  assert.equal(asDigits('Nein, das haben wir nicht.', 'de'), 'Nein, das haben wir nicht.')
  assert.equal(asDigits('deux trois', 'fr'), 'deux trois')
})
