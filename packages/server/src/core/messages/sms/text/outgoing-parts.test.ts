import assert from 'node:assert/strict'
import { test } from 'node:test'
import { partsFor } from './outgoing-parts.ts'

const octets = (text: string, takes: 'parts' | 'text' = 'parts') =>
  partsFor({ takes }, { id: 'a', sender: '+491', recipient: '+492', text }).map(({ encoding, payload }) => [encoding, payload.length])

test('fills parts with 153 septets or 67 units, a single message with 160 or 70, without splitting pairs', () => {
  assert.deepEqual(octets('x'.repeat(160)), [['GSM7', 160]])
  assert.deepEqual(octets('x'.repeat(161)), [
    ['GSM7', 153],
    ['GSM7', 8],
  ])
  assert.deepEqual(octets('[]'.repeat(41)), [
    ['GSM7', 152],
    ['GSM7', 12],
  ])
  assert.deepEqual(octets('ж'.repeat(70)), [['UCS2', 140]])
  assert.deepEqual(octets('👋'.repeat(36)), [
    ['UCS2', 132],
    ['UCS2', 12],
  ])
  assert.deepEqual(octets('x'.repeat(400), 'text'), [['GSM7', 400]])
})

test('encodes by the alphabets, deterministically', () => {
  const make = (text: string) => partsFor({ takes: 'parts' }, { id: 'b', sender: '', recipient: '', text })
  assert.deepEqual([...(make('@Ä€à\n')[0]?.payload ?? [])], [0x00, 0x5b, 0x1b, 0x65, 0x7f, 0x0a])
  assert.deepEqual([...(make('Ж👋')[0]?.payload ?? [])], [0x04, 0x16, 0xd8, 0x3d, 0xdc, 0x4b])
  const long = 'Grüße 👋 '.repeat(30)
  assert.deepEqual(make(long), make(long))
  assert.equal(
    make(long)
      .map(({ text }) => text)
      .join(''),
    long,
  )
})
