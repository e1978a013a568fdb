import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '#test/chance/fast-check.ts'
import { areaCodeOf, digits, germanGeographic, localized, parseNumber } from './phone-number.ts'

const german = (input: string) => parseNumber(input, 'DE')?.e164

test('parses the usual spellings of a German number', () => {
  const ways = [
    '+4921163554444',
    '+49 211 63554444',
    '+49 (0)211 63554444',
    '+49-211-6355.4444',
    '004921163554444',
    '0049 (0) 211 / 63554444',
    '021163554444',
    '(0211) 6355-4444',
    '(0)211 63554444',
    '0211/63554444',
    '4921163554444',
    '49 211 63554444',
    'tel:+4921163554444',
    'TEL:0211-63554444',
    '  +4921163554444  ',
  ]
  for (const way of ways) assert.equal(german(way), '+4921163554444', way)
})

test('rejects invalid input instead of repairing it', () => {
  const refused = [
    '',
    ' ',
    '+',
    '0',
    'anonymous',
    '0211abc',
    '0800-FLOWERS',
    '+49211635;ext=5',
    'tel:+4921163554444;ext=5',
    'tel:63554444;phone-context=+49211',
    '+4921163554444 x5',
    'sip:+4921163554444@example.com',
    'sip:4921163554444',
    '+49 211 63554444\n',
    '\t+4921163554444',
    '+4921163554444\u0000',
    '+49211\u20286355\u20284444',
    '+49211\u00a063554444',
    '\u202a+4921163554444\u202c',
    '+49211\u200b63554444',
    '０２１１６３５５４４４４',
    '＋4921163554444',
    '+4921163554٤٤٤',
    '++4921163554444',
    '+49+21163554444',
    '021163554444+',
    '#31#021163554444',
    '*21*021163554444#',
    '+49211',
    '+491234567890123456',
    '+999123',
    '110',
    '112',
    '11833',
    '1'.repeat(41),
    ' '.repeat(41),
  ]
  for (const input of refused) assert.equal(german(input), undefined, JSON.stringify(input))
})

test('reads bare digits as E.164 where national numbers need a trunk prefix', () => {
  // 04921 is Emden: as a national number this would ring somewhere else.
  assert.equal(german('4921163554444'), '+4921163554444')
  assert.equal(german('442079460018'), '+442079460018')
  assert.equal(german('21163554444'), undefined)
  assert.equal(parseNumber('493012345678', 'GB')?.e164, '+493012345678')
})

test('reads bare digits as national first where there is no trunk prefix', () => {
  assert.equal(parseNumber('2125550100', 'US')?.e164, '+12125550100')
  assert.equal(parseNumber('12125550100', 'US')?.e164, '+12125550100')
  assert.equal(parseNumber('4921163554444', 'US')?.e164, '+4921163554444')
  assert.equal(parseNumber('912345678', 'ES')?.e164, '+34912345678')
  assert.equal(parseNumber('0612345678', 'IT')?.e164, '+390612345678')
})

test('never reads a national number with bareDigitsAreE164', () => {
  const e164 = (input: string, country: string) => parseNumber(input, country, { bareDigitsAreE164: true })?.e164
  assert.equal(e164('6622345678', 'US'), '+6622345678')
  assert.equal(e164('4921163554444', 'DE'), '+4921163554444')
  assert.equal(e164('021163554444', 'DE'), undefined)
  assert.equal(e164('+4921163554444', 'DE'), '+4921163554444')
})

test('recognises the international prefixes of other countries', () => {
  assert.equal(parseNumber('0011 49 211 63554444', 'AU')?.e164, '+4921163554444')
  assert.equal(parseNumber('011 49 211 63554444', 'US')?.e164, '+4921163554444')
  assert.equal(parseNumber('0049 211 63554444', 'US')?.e164, '+4921163554444')
})

test('accepts only international forms for an unknown country', () => {
  for (const country of ['', 'XX', 'Germany', '__proto__']) {
    assert.equal(parseNumber('+4921163554444', country)?.e164, '+4921163554444')
    assert.equal(parseNumber('004921163554444', country)?.e164, '+4921163554444')
    assert.equal(parseNumber('021163554444', country), undefined)
  }
  assert.equal(parseNumber('021163554444', 'de')?.type, 'LANDLINE')
})

test('keeps the leading zero of Italian numbers and drops the German one', () => {
  assert.equal(parseNumber('+39 06 12345678', 'DE')?.e164, '+390612345678')
  assert.equal(parseNumber('+49 0211 63554444', 'DE')?.e164, '+4921163554444')
})

test("classifies numbers relative to the account's country", () => {
  assert.deepEqual(parseNumber('+4915799912345', 'DE'), { e164: '+4915799912345', type: 'MOBILE', country: 'DE', premium: false })
  assert.deepEqual(parseNumber('+4921163554444', 'DE'), { e164: '+4921163554444', type: 'LANDLINE', country: 'DE', premium: false })
  assert.deepEqual(parseNumber('+4932221234567', 'DE'), { e164: '+4932221234567', type: 'LANDLINE', country: 'DE', premium: false })
  assert.equal(parseNumber('+4915799912345', 'AT')?.type, 'INTERNATIONAL')
  assert.equal(parseNumber('+43 720 123456', 'AT')?.type, 'LANDLINE')
  assert.equal(parseNumber('+12125550100', 'US')?.type, 'LANDLINE')
  assert.deepEqual(parseNumber('+800 12345678', 'DE'), { e164: '+80012345678', type: 'INTERNATIONAL', premium: false })
})

test('marks premium numbers, but not free and shared-cost numbers', () => {
  const premium = (input: string) => parseNumber(input, 'DE')?.premium
  for (const input of [
    '0900 1234567',
    '0137 1123456',
    '0137 6123456',
    '0137 7123456',
    '0138 1234',
    '+1 900 555 1234',
    '+33 899 123456',
    '+979 123456789',
  ])
    assert.equal(premium(input), true, input)
  for (const input of ['0800 1234567', '01805 123456', '0700 12345678', '+8821612345678']) assert.equal(premium(input), false, input)
})

test('removes only the plus in digits', () => {
  assert.equal(digits('+4921163554444'), '4921163554444')
  assert.equal(digits('4921163554444'), '4921163554444')
})

test('formats national numbers at home and international ones elsewhere', () => {
  assert.equal(localized('+4921163554444', 'DE'), '0211 63554444')
  assert.equal(localized('+4921163554444', 'de'), '0211 63554444')
  assert.equal(localized('+4921163554444', 'AT'), '+49 211 63554444')
  assert.equal(localized('+12125550100', 'DE'), '+1 212 555 0100')
  assert.equal(localized('+80012345678', 'DE'), '+800 1234 5678')
  assert.equal(localized('no number', 'DE'), 'no number')
})

test('finds the area code of German landline numbers only', () => {
  assert.equal(areaCodeOf('+4921163554444'), '211')
  assert.equal(areaCodeOf('+49301234567'), '30')
  assert.equal(areaCodeOf('+498912345678'), '89')
  assert.equal(areaCodeOf('+49220312345'), '2203')
  assert.equal(areaCodeOf('+493641123456'), '3641')
  assert.equal(areaCodeOf('+4933701123456'), undefined)
  assert.equal(areaCodeOf('+4915799912345'), undefined)
  assert.equal(areaCodeOf('+4932221234567'), undefined)
  assert.equal(areaCodeOf('+498001234567'), undefined)
  assert.equal(areaCodeOf('+43720123456'), undefined)
  assert.equal(areaCodeOf('nonsense'), undefined)
  assert.equal(germanGeographic('+4933701123456'), '33701123456')
})

test('handles any string and returns stable E.164', () => {
  const noise = fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), fc.stringMatching(/^[0-9+ ()./-]{0,30}$/))
  fc.assert(
    fc.property(noise, fc.constantFrom('DE', 'US', 'GB', 'IT', 'AU', 'XX'), (input, country) => {
      const number = parseNumber(input, country)
      if (!number) return
      assert.match(number.e164, /^\+[1-9]\d{4,14}$/)
      assert.deepEqual(parseNumber(number.e164, country), number)
      assert.equal(parseNumber(digits(number.e164), country, { bareDigitsAreE164: true })?.e164, number.e164)
    }),
    { numRuns: 2000 },
  )
})

test('ignores separators', () => {
  const separators = fc.array(fc.constantFrom('', ' ', '-', '.', '/', '(', ')'), { minLength: 14, maxLength: 14 })
  fc.assert(
    fc.property(separators, (between) => {
      const written = Array.from('4921163554444', (digit, position) => digit + (between[position] ?? '')).join('')
      assert.equal(german(`+${written}`), '+4921163554444')
    }),
  )
})
