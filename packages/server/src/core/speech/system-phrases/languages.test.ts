import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasSystemPhrases, systemPhrases } from './languages.ts'

const all = ['en-GB', 'de', 'fr-CA', 'es_MX', 'IT']

test('five languages have words of their own, all others hear English', () => {
  assert.deepEqual([...all, 'ru', ''].map(hasSystemPhrases), [true, true, true, true, true, false, false])
  assert.deepEqual(new Set(all.map((language) => systemPhrases(language).retry)).size, all.length)
  for (const language of ['ru', '', 'constructor']) assert.equal(systemPhrases(language), systemPhrases('en'))
})

test('fillers are short enough that an answer which comes meanwhile can wait for their end', () => {
  for (const language of all)
    for (const filler of systemPhrases(language).fillers) assert.ok(filler.split(' ').length <= 5 && filler.length <= 28, filler)
})

test('no word means both yes and no, and all are written as answers are compared', () => {
  for (const language of all) {
    const { yes, no, beside } = systemPhrases(language).answers
    const words = [yes, no, beside].flatMap((list) => list.split(' '))
    assert.equal(new Set(words).size, words.length, language)
    for (const word of words) assert.match(word, /^[\p{Ll}’]+$/u)
  }
})

test('who is asked to take a call hears both keys, and a question at the end', () => {
  for (const language of all) assert.match(systemPhrases(language).warmTransfer.question, /[.] .*\?$/)
})
