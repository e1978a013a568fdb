import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shownFor } from './notifications.ts'

test('shows a call with its two buttons, and replaces it silently at its end', () => {
  const about = { callId: 'c1', from: { name: 'Anna' }, language: 'en' }
  const rings = shownFor({ type: 'ring', decline: 't', ...about })
  assert.equal(rings.title, 'Anna is calling')
  assert.deepEqual(
    rings.actions.map(({ action }) => action),
    ['accept', 'decline'],
  )
  const over = shownFor({ type: 'missed', ...about, language: 'de-DE' })
  assert.deepEqual([over.title, over.tag, over.actions, over.silent], ['Verpasster Anruf: Anna', rings.tag, [], true])
  assert.equal(shownFor({ type: 'ring', ...about, from: { name: '', number: '+4930123' } }).title, '+4930123 is calling')
  assert.equal(shownFor({ type: 'ring', ...about, from: { name: '' } }).title, 'Withheld number is calling')
})
