import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placeAllows } from './phone-number.ts'

const duesseldorf = { country: 'DE', postalCode: '40219', locality: 'Düsseldorf' }
const village = { country: 'DE', postalCode: '99999', locality: 'Hintertupfingen' }
const vienna = { country: 'AT', postalCode: '1010', locality: 'Wien' }

test('allows numbers without a place everywhere', () => {
  const free = ['+4915799912345', '+4932221234567', '+498001234567', '+499001234567', '+43720123456', '+12125550100', '+80012345678']
  for (const number of free) for (const place of [duesseldorf, village, vienna]) assert.equal(placeAllows(number, place), 'yes', number)
})

test("requires the holder's area for a German geographic number", () => {
  assert.equal(placeAllows('+4921163554444', duesseldorf), 'yes')
  assert.equal(placeAllows('+49203123456', duesseldorf), 'yes')
  assert.equal(placeAllows('+49301234567', duesseldorf), 'no')
  assert.equal(placeAllows('+4921163554444', { country: 'DE', postalCode: '80331', locality: 'München' }), 'no')
  assert.equal(placeAllows('+498912345678', { country: 'de', postalCode: '80331', locality: 'Munich' }), 'yes')
})

test('rejects a German geographic number abroad', () => {
  assert.equal(placeAllows('+4921163554444', vienna), 'no')
  assert.equal(placeAllows('+4933701123456', vienna), 'no')
})

test('returns unknown for places and area codes missing from the table', () => {
  assert.equal(placeAllows('+4921163554444', village), 'unknown')
  assert.equal(placeAllows('+4933701123456', duesseldorf), 'unknown')
  assert.equal(placeAllows('+4921163554444', { ...duesseldorf, postalCode: '80331' }), 'unknown')
  assert.equal(placeAllows('+4921163554444', { ...duesseldorf, country: 'Germany' }), 'unknown')
  assert.equal(placeAllows('+4921163554444', { ...duesseldorf, country: '' }), 'unknown')
  assert.equal(placeAllows('12', duesseldorf), 'unknown')
})
