import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holderMismatch } from './donor.ts'

const address = { street: 'Königsallee', houseNumber: '12a', postalCode: '40212', locality: 'Düsseldorf', country: 'DE' }
const customer = { names: ['Müller & Söhne GmbH', 'Ada Lovelace'], addresses: [{ ...address, houseNumber: '1' }, address] }
const holder = { name: 'Ada Lovelace', street: 'Königsallee', number: '12a', postcode: '40212', city: 'Düsseldorf', country: 'DE' }

test('ignores differences in spelling', () => {
  for (const name of ['ada  lovelace', 'Mueller und Soehne GmbH'.replace('und', '&'), 'MÜLLER&SÖHNE GMBH'])
    assert.equal(holderMismatch({ ...holder, name }, customer), undefined, name)
  const written = { ...holder, street: 'KOENIGSALLEE ', number: '12 A', city: 'Duesseldorf' }
  assert.equal(holderMismatch(written, customer), undefined)
  const avenue = { names: ['x'], addresses: [{ ...address, street: 'Hauptstraße' }] }
  for (const street of ['Hauptstr.', 'Haupt Strasse', 'HAUPTSTRASSE'])
    assert.equal(holderMismatch({ ...holder, name: 'X', street }, avenue), undefined, street)
})

test('rejects another person or place with its code', () => {
  for (const name of ['Ada', 'Lovelace Ada', '', '&', 'Müller GmbH'])
    assert.equal(holderMismatch({ ...holder, name }, customer), '8112', name)
  const wrong = [{ number: '12' }, { street: 'Kö' }, { postcode: '40213' }, { city: 'Köln' }, { country: 'AT' }]
  for (const change of wrong) assert.equal(holderMismatch({ ...holder, ...change }, customer), '8108', JSON.stringify(change))
  assert.equal(holderMismatch(holder, { ...customer, addresses: [] }), '8108')
})
