import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readNumber, writeNumber } from './identity.ts'

const berlin = '+493023125042'
const paris = '+33142278186'

test("writes numbers in the carrier's format", () => {
  assert.equal(writeNumber(berlin, 'PLUS', 'DE'), '+493023125042')
  assert.equal(writeNumber(berlin, 'DIGITS', 'DE'), '493023125042')
  assert.equal(writeNumber(berlin, 'DOUBLE_ZERO', 'DE'), '00493023125042')
  assert.equal(writeNumber(berlin, 'NATIONAL', 'DE'), '03023125042')
  assert.equal(writeNumber(paris, 'NATIONAL', 'DE'), '0033142278186', 'abroad there is no national form')
})

test('writes an emergency number as dialled', () => {
  for (const format of ['PLUS', 'DIGITS', 'DOUBLE_ZERO', 'NATIONAL'] as const) assert.equal(writeNumber('112', format, 'DE'), '112')
})

test('reads back written numbers in every format', () => {
  for (const format of ['PLUS', 'DIGITS', 'DOUBLE_ZERO', 'NATIONAL'] as const) {
    for (const number of [berlin, paris]) assert.equal(readNumber(writeNumber(number, format, 'DE'), format, 'DE'), number, format)
  }
})

test('reads digits alone as international only for a carrier with that format', () => {
  assert.equal(readNumber('4930231250', 'DIGITS', 'DE'), '+4930231250')
  assert.equal(readNumber('+493023125042', 'DIGITS', 'DE'), berlin)
  assert.equal(readNumber('03023125042', 'PLUS', 'DE'), berlin)
})

test('returns undefined for text that is not a number', () => {
  for (const text of ['', 'anonymous', 'bob', '+49;x', '+49\r\n', '１２３', '112'])
    assert.equal(readNumber(text, 'PLUS', 'DE'), undefined, text)
})
