import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spacedNumber } from './phone-digits.ts'

test('groups international numbers after their calling code; leaves other text unchanged', () => {
  for (const [number, written] of [
    ['+4915790000001', '+49 157 9000 0001'],
    ['+493023125509', '+49 30 2312 5509'],
    ['+4930123456', '+49 30 123 456'],
    ['+12025550123', '+1 202 5550 123'],
    ['+442079460123', '+44 20 7946 0123'],
    ['+35312345678', '+353 123 456 78'],
    ['+4930', '+4930'],
    ['110', '110'],
    ['w0', 'w0'],
    ['', ''],
  ] as const)
    assert.equal(spacedNumber(number), written)
})

test('keeps every digit when grouping', () => {
  for (const begin of ['9876', '4930', '1202', '3531'])
    for (let length = 7; length <= 15; length++) {
      const digits = `${begin}543210987654`.slice(0, length)
      assert.equal(spacedNumber(`+${digits}`).replaceAll(' ', ''), `+${digits}`)
    }
})
