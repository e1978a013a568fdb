import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldWords } from './field-words.ts'

test("translates the service's field errors for people", () => {
  assert.equal(fieldWords('must not have fewer than 1 characters', 'en'), 'Fill this in.')
  assert.equal(fieldWords('must not have fewer than 12 characters', 'de'), 'Mindestens 12 Zeichen.')
  assert.equal(fieldWords('must match pattern "^[0-9]{8}$"', 'en'), 'This does not have the required format.')
  assert.equal(fieldWords('must match format "email"', 'de'), 'Das ist keine E-Mail-Adresse.')
  assert.equal(fieldWords('is a tariff in USD, but the account is in EUR', 'de'), 'Dieser Tarif ist in USD, das Konto aber in EUR.')
})

test('shows a message without a translation unchanged', () => {
  assert.equal(fieldWords('is taken', 'en'), 'This is taken.')
  assert.equal(fieldWords('must be blue', 'en'), 'This must be blue.')
  assert.equal(fieldWords('must be blue', 'de'), 'Das passt so nicht: it must be blue.')
})
