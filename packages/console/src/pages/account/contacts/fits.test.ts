import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fits } from './fits.ts'

test('people are found by parts of names and numbers, however they are written', () => {
  const anna = ['Anna Schmidt', '+493012345678', 'anna@example.com']
  for (const wanted of ['', 'schm', 'ANNA', '30 1234', '+49 30', '(30) 12-34', 'example.com']) assert.ok(fits(wanted, anna), wanted)
  for (const wanted of ['bert', '31 1234', '+1']) assert.ok(!fits(wanted, anna), wanted)
})
