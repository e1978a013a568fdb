import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '#test/chance/fast-check.ts'
import { emergencyNumber, isEmergency } from './emergency.ts'
import { parseNumber } from '#core/kernel/phone-numbers/phone-number.ts'

test('recognises 110 and 112 in Germany in all disguises', () => {
  const ways = [
    '112',
    '110',
    ' 112 ',
    '1 1 2',
    '1-1-2',
    '(112)',
    'tel:112',
    'TEL:110',
    '+49112',
    '+49 110',
    '+49 (0)112',
    '0049112',
    '0049 0110',
    '0112',
    '011-0',
    '１１２',
  ]
  for (const way of ways) assert.equal(isEmergency(way, 'DE'), true, way)
})

test('returns the number that the network knows', () => {
  for (const way of ['112', '+49 112', '0112', 'tel:112']) assert.equal(emergencyNumber(way, 'DE'), '112')
  assert.equal(emergencyNumber('0049110', 'DE'), '110')
  assert.equal(emergencyNumber('911', 'DE'), undefined)
})

test('ignores numbers that only look similar', () => {
  const others = [
    '',
    '+',
    '11',
    '113',
    '1120',
    '112 112',
    '911',
    '999',
    '49112',
    '+43112',
    '0043112',
    '+49211112',
    '0211112',
    '112#',
    'sip:112',
    '112;ext=1',
    '+49113',
    '000112',
  ]
  for (const other of others) assert.equal(isEmergency(other, 'DE'), false, other)
})

test('recognises 112 in every country, 911 and 999 where they apply', () => {
  for (const country of ['DE', 'US', 'GB', 'JP', 'XX', '', '__proto__', 'constructor'])
    assert.equal(isEmergency('112', country), true, country)
  for (const country of ['US', 'CA', 'us']) assert.equal(isEmergency('911', country), true, country)
  for (const country of ['GB', 'IE']) assert.equal(isEmergency('999', country), true, country)
  assert.equal(isEmergency('+1 911', 'US'), true)
  assert.equal(isEmergency('011 1 911', 'US'), true)
  assert.equal(isEmergency('+44 999', 'GB'), true)
  assert.equal(isEmergency('000', 'AU'), true)
  assert.equal(isEmergency('15', 'FR'), true)
  assert.equal(isEmergency('15', 'DE'), false)
  assert.equal(isEmergency('110', 'US'), false)
})

test('never takes a valid phone number for an emergency number', () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^(\+|00|0|)[0-9]{2,12}$/),
      fc.constantFrom('DE', 'AT', 'CH', 'US', 'GB', 'FR', 'IT'),
      (dialled, country) => {
        if (isEmergency(dialled, country)) assert.equal(parseNumber(dialled, country), undefined)
      },
    ),
    { numRuns: 3000 },
  )
})

test('rejects long input quickly', () => {
  assert.equal(isEmergency(`${' '.repeat(1_000_000)}112`, 'DE'), false)
})
