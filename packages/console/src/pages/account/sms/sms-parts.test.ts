import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countSegments } from '../../../../../server/src/core/messages/sms/text/segments.ts'
import { smsParts } from './sms-parts.ts'

const characters = ['a', 'ß', '€', '{', '\n', 'Δ', 'ł', '日', '👋', '\f']

test('counts messages as the service does', () => {
  for (const character of characters)
    for (const count of [0, 1, 33, 34, 35, 66, 67, 70, 71, 76, 77, 80, 81, 134, 135, 153, 160, 161, 306, 307, 700]) {
      for (const text of [character.repeat(count), `x${character.repeat(count)}`, `${'a'.repeat(count)}${character}`]) {
        const { segments, encoding } = countSegments(text)
        const { parts, wide, left } = smsParts(text)
        assert.equal(parts, segments, JSON.stringify([character, count]))
        assert.equal(wide, encoding === 'UCS2')
        assert.ok(left >= 0)
      }
    }
})

test('reports the remaining characters', () => {
  assert.deepEqual(smsParts(''), { parts: 1, left: 160, wide: false })
  assert.deepEqual(smsParts('€'), { parts: 1, left: 158, wide: false })
  assert.deepEqual(smsParts('a'.repeat(161)), { parts: 2, left: 145, wide: false })
  assert.deepEqual(smsParts('👋'), { parts: 1, left: 68, wide: true })
})
