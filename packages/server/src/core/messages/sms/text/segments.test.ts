import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '#test/chance/fast-check.ts'
import { countSegments } from './segments.ts'

const gsm7 = (segments: number) => ({ encoding: 'GSM7', segments })
const ucs2 = (segments: number) => ({ encoding: 'UCS2', segments })

test('counts 160 septets in a single message, 153 in each part', () => {
  assert.deepEqual(countSegments(''), gsm7(1))
  assert.deepEqual(countSegments('a'.repeat(160)), gsm7(1))
  assert.deepEqual(countSegments('a'.repeat(161)), gsm7(2))
  assert.deepEqual(countSegments('a'.repeat(306)), gsm7(2))
  assert.deepEqual(countSegments('a'.repeat(307)), gsm7(3))
})

test('counts 70 UCS-2 units in a single message, 67 in each part', () => {
  assert.deepEqual(countSegments('ж'.repeat(70)), ucs2(1))
  assert.deepEqual(countSegments('ж'.repeat(71)), ucs2(2))
  assert.deepEqual(countSegments('ж'.repeat(134)), ucs2(2))
  assert.deepEqual(countSegments('ж'.repeat(135)), ucs2(3))
})

test('counts escape pairs double and never splits them', () => {
  assert.deepEqual(countSegments('€'.repeat(80)), gsm7(1))
  assert.deepEqual(countSegments('€'.repeat(81)), gsm7(2))
  // 76 pairs fit into a part (152 of 153 septets), so 153 of them need a third one although 306 septets would fit into two.
  assert.deepEqual(countSegments('€'.repeat(152)), gsm7(2))
  assert.deepEqual(countSegments('€'.repeat(153)), gsm7(3))
})

test('never splits surrogate pairs', () => {
  assert.deepEqual(countSegments('😀'.repeat(35)), ucs2(1))
  assert.deepEqual(countSegments('😀'.repeat(36)), ucs2(2))
  assert.deepEqual(countSegments('😀'.repeat(66)), ucs2(2))
  assert.deepEqual(countSegments('😀'.repeat(67)), ucs2(3))
  assert.deepEqual(countSegments('\ud83d'), ucs2(1))
})

test('encodes the whole text as UCS-2 with one foreign character', () => {
  assert.equal(countSegments('äöüßÄÖÜ@£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæÉ¡¿§ñà\r\n').encoding, 'GSM7')
  assert.equal(countSegments('^{}[]~|\\€\f').encoding, 'GSM7')
  for (const character of ['á', 'ç', '`', '\t', '\u001b', '“', '–', '\u0000'])
    assert.equal(countSegments(`Hallo ${character}`).encoding, 'UCS2', JSON.stringify(character))
  assert.deepEqual(countSegments('a'.repeat(70)), gsm7(1))
  assert.deepEqual(countSegments(`${'a'.repeat(70)}á`), ucs2(2))
})

test('uses no fewer parts than the units need and wastes at most one unit per part', () => {
  const text = fc.array(fc.constantFrom('a', '€', 'ж', '😀'), { maxLength: 600 }).map((characters) => characters.join(''))
  fc.assert(
    fc.property(text, (some) => {
      const { encoding, segments } = countSegments(some)
      const units = encoding === 'UCS2' ? some.length : Array.from(some).reduce((sum, character) => sum + (character === '€' ? 2 : 1), 0)
      const [alone, part] = encoding === 'UCS2' ? [70, 67] : [160, 153]
      if (units <= alone) return assert.equal(segments, 1)
      assert.ok(segments >= Math.ceil(units / part))
      assert.ok(segments <= Math.ceil(units / (part - 1)))
    }),
  )
})

test('never needs fewer messages for a longer text', () => {
  const text = fc.array(fc.constantFrom('a', '€', 'ж', '😀'), { maxLength: 200 }).map((characters) => characters.join(''))
  fc.assert(fc.property(text, text, (start, more) => assert.ok(countSegments(start).segments <= countSegments(start + more).segments)))
})
