import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '#test/chance/fast-check.ts'
import { spokenText } from './spoken-text.ts'
import { leastEffortMs } from '#test/chance/effort.ts'

test('removes markup and emoji in any language', () => {
  assert.equal(spokenText('# Title\n- **bold** _it_ `x` [here](https://x.example/) 😀👍🏽', 'en'), 'Title bold it x here')
  assert.equal(spokenText('**Le 5 mars** à 15:30 😀', 'fr-FR'), 'Le 5 mars à 15 heures 30')
})

test('leaves no digits in English and German, and keeps words unchanged', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.stringMatching(/^[\d.,:/€$%+() -]{0,40}$/),
    fc.stringMatching(/^(?:[A-Z]{1,5}|\d{1,5}|am|\. |, |Uhr|St\.|May |\/|-| ){0,12}$/),
  )
  fc.assert(
    fc.property(text, fc.constantFrom('en-US', 'de-DE'), (written, language) => {
      assert.doesNotMatch(spokenText(written, language), /[0-9]/)
    }),
  )
  fc.assert(
    fc.property(fc.stringMatching(/^[a-zäöü]{1,8}( [a-zäöü]{1,8}){0,8}$/), fc.constantFrom('en-US', 'de-DE'), (words, language) => {
      assert.equal(spokenText(words, language), words)
    }),
  )
})

test('takes no longer for malicious text', () => {
  const parts =
    `1|1,|+1 |A.|a-|www.|1.1.|[(|#|\n -|A1|0 0|a@|12:|May |1€|- |A|a|"|1"|1/|1 1/|A-|AB-1|Karl I|1-|DE12|Mo.|Mo-|v1.|1. |1.–|str.|1 000|1'|
    €1-|$1k|Version 1|number |#1|, 12345|(0)|½|1½|1:1|1st |st. |z. B. |1 * |1>|Jan. |1 Uhr |80er|3-Aa|1* |press # |5²|x^1|½ kg |1/2 kg |Nr. 12-|1600 Main |12-12-|USB-|9.00 bis |am 1. |1. und |120/80 |.5 |5s |Kto. |1,000th|4x4|3 x 4 m|5' 1" |12a|Gleis 3/|Mio. |1 Mio. |¥1 |12:30:00.1|2026-2026-03-05T`.split(
      '|',
    )
  for (const part of parts) {
    const text = part.repeat(Math.floor(5_000 / part.length))
    for (const language of ['en', 'de', 'fr', 'es', 'it'])
      assert.ok(leastEffortMs(75, () => spokenText(text, language)) < 75, `${language} ${part}`)
  }
})

test('takes time linear in the length of any text', () => {
  const part = fc.stringMatching(/^(?:[A-Za-zäß]|\d|[ .,:/€$%+()"'–-]){1,6}$/)
  fc.assert(
    fc.property(part, fc.constantFrom('en-US', 'de-DE', 'fr-FR', 'es-ES', 'it-IT'), (written, language) => {
      const text = written.repeat(Math.floor(5_000 / written.length))
      assert.ok(leastEffortMs(75, () => spokenText(text, language)) < 75, 'squares would take seconds')
    }),
    { numRuns: 40 },
  )
})

test('leaves text of an invalid language unchanged', () => {
  for (const language of ['', 'constructor', 'toString-US', '__proto__'])
    assert.equal(spokenText('At 10:30, 5 kg', language), 'At 10:30, 5 kg')
})
