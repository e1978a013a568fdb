import assert from 'node:assert/strict'
import { test } from 'node:test'
import { headerText } from './t30.ts'

test('encodes the header line in code page 437', () => {
  assert.deepEqual([...headerText('Müller & Söhne')], [...Buffer.from('M\x81ller & S\x94hne\0', 'latin1')])
  assert.equal(headerText('Škoda 电\n').toString('latin1'), 'Skoda ??\0')
  assert.equal(headerText('ß'.normalize('NFD'))[0], 0xe1)
  assert.equal(headerText('x'.repeat(80)).length, 51)
  assert.equal(headerText('\u00a0')[0], 0xff)
})
