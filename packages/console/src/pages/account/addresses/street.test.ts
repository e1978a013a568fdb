import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitStreet } from './street.ts'

test('splits street and house number', () => {
  assert.deepEqual(splitStreet('Musterstraße 1a'), { street: 'Musterstraße', number: '1a' })
  assert.deepEqual(splitStreet('Straße des 17. Juni 135'), { street: 'Straße des 17. Juni', number: '135' })
  assert.deepEqual(splitStreet('Am Markt'), { street: 'Am Markt', number: '' })
  assert.deepEqual(splitStreet(''), { street: '', number: '' })
})
