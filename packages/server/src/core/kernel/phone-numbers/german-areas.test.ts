import assert from 'node:assert/strict'
import { test } from 'node:test'
import { areaCodeAtStartOf, areaCodesOf, germanAreaCodes } from './german-areas.ts'
import { germanPlaces } from './german-places.ts'

const codes = (postalCode: string, locality: string, country = 'DE') => areaCodesOf({ country, postalCode, locality })

test('has a well-formed table of at least 120 places', () => {
  assert.ok(germanPlaces.length >= 120)
  assert.ok(germanAreaCodes.size >= 120)
  for (const [names, postcodes, areaCodes] of germanPlaces) {
    assert.match(names, /^[\p{L}][\p{L} .()-]+(, [\p{L}][\p{L} .()-]+)*$/u, names)
    assert.match(postcodes, /^\d{2,3}( \d{2,3})*$/, names)
    assert.match(areaCodes, /^[2-9]\d{1,4}( [2-9]\d{1,4})*$/, names)
  }
})

test('has prefix-free area codes, as the numbering plan requires', () => {
  for (const code of germanAreaCodes) {
    for (const other of germanAreaCodes) assert.ok(code === other || !other.startsWith(code), `${code} begins ${other}`)
  }
})

test('lists no place twice', () => {
  const seen = new Set<string>()
  for (const [names, postcodes] of germanPlaces) {
    for (const name of names.split(', ')) {
      for (const postcode of postcodes.split(' ')) {
        assert.ok(!seen.has(`${name} ${postcode}`), `${name} ${postcode}`)
        seen.add(`${name} ${postcode}`)
      }
    }
  }
})

test('finds a place by name and postcode in all spellings', () => {
  for (const name of [
    'Düsseldorf',
    'Duesseldorf',
    'Dusseldorf',
    'DÜSSELDORF',
    ' düsseldorf ',
    'Du\u0308sseldorf',
    'Düsseldorf-Bilk',
    'Düsseldorf (Altstadt)',
  ]) {
    assert.deepEqual(codes('40219', name), ['211', '203', '2104'], name)
  }
  for (const name of ['Köln', 'Koeln', 'Koln', 'Cologne', 'Köln-Porz']) assert.ok(codes('51143', name)?.includes('2203'), name)
  for (const name of ['Gießen', 'Giessen', 'GIESSEN']) assert.deepEqual(codes('35390', name), ['641'], name)
  assert.deepEqual(codes('D-10115', 'Berlin'), ['30'])
  assert.deepEqual(codes('01067', 'Dresden'), ['351'])
})

test('distinguishes places of the same name by their postcode', () => {
  for (const name of ['Frankfurt am Main', 'Frankfurt', 'Frankfurt a.M.', 'Frankfurt/Main'])
    assert.ok(codes('60311', name)?.includes('69'), name)
  for (const name of ['Frankfurt (Oder)', 'Frankfurt', 'Frankfurt/Oder']) assert.deepEqual(codes('15230', name), ['335'], name)
  assert.deepEqual(codes('06108', 'Halle'), ['345'])
  assert.equal(codes('33790', 'Halle'), undefined)
  assert.equal(codes('49632', 'Essen'), undefined)
})

test('assigns a shared area code to adjacent places', () => {
  assert.deepEqual(codes('22844', 'Norderstedt'), codes('20095', 'Hamburg'))
  assert.ok(codes('63065', 'Offenbach')?.includes('69'))
  assert.ok(codes('89231', 'Neu-Ulm')?.includes('731'))
  assert.ok(codes('67059', 'Ludwigshafen')?.includes('621'))
})

test('returns undefined when the place is not certain', () => {
  assert.equal(codes('40219', 'Kleinkleckersdorf'), undefined)
  assert.equal(codes('80331', 'Düsseldorf'), undefined)
  assert.equal(codes('', 'Düsseldorf'), undefined)
  assert.equal(codes('4021', 'Düsseldorf'), undefined)
  assert.equal(codes('40219', ''), undefined)
  assert.equal(codes('40219', '___'), undefined)
  assert.equal(codes('40219', 'Düsseldorf', 'AT'), undefined)
  assert.equal(codes('40219', 'constructor'), undefined)
  assert.equal(codes('40219', 'x '.repeat(100_000)), undefined)
})

test('returns a copy that the caller may change', () => {
  codes('10115', 'Berlin')?.push('999')
  assert.deepEqual(codes('10115', 'Berlin'), ['30'])
})

test('finds the area code a national number starts with', () => {
  assert.equal(areaCodeAtStartOf('301234567'), '30')
  assert.equal(areaCodeAtStartOf('20312345'), '203')
  assert.equal(areaCodeAtStartOf('220312345'), '2203')
  assert.equal(areaCodeAtStartOf('33701123'), undefined)
  assert.equal(areaCodeAtStartOf(''), undefined)
})
