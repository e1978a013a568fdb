import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasSystemPhrases, systemPhrases } from './system-phrases.ts'

const all = ['en-GB', 'de', 'fr-CA', 'es_MX', 'IT']

test('has phrases in five languages, and English for the rest', () => {
  assert.deepEqual([...all, 'ru', ''].map(hasSystemPhrases), [true, true, true, true, true, false, false])
  assert.deepEqual(new Set(all.map((language) => systemPhrases(language).retry)).size, all.length)
  for (const language of ['ru', '', 'constructor']) assert.equal(systemPhrases(language), systemPhrases('en'))
})

test('keeps fillers short enough to finish before a reply', () => {
  for (const language of all)
    for (const filler of systemPhrases(language).fillers) assert.ok(filler.split(' ').length <= 5 && filler.length <= 28, filler)
})

test('has disjoint yes, no and neutral words in normalised form', () => {
  for (const language of all) {
    const { yes, no, beside } = systemPhrases(language).answers
    const words = [yes, no, beside].flatMap((list) => list.split(' '))
    assert.equal(new Set(words).size, words.length, language)
    for (const word of words) assert.match(word, /^[\p{Ll}’]+$/u)
  }
})

test('names the keys and ends with a question in warm transfers', () => {
  for (const language of all) assert.match(systemPhrases(language).warmTransfer.question, /[.] .*\?$/)
})
