import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wordErrorRate, wordErrors } from './word-errors.ts'

test('counts words that are wrong, missing or extra', () => {
  assert.deepEqual(wordErrors('please hold the line', 'please hold the line'), { errors: 0, words: 4 })
  assert.deepEqual(wordErrors('please hold the line', 'please fold line now'), { errors: 3, words: 4 })
  assert.deepEqual(wordErrors('please hold', ''), { errors: 2, words: 2 })
  assert.deepEqual(wordErrors('', 'thank you'), { errors: 2, words: 0 })
})

test('ignores spelling differences', () => {
  assert.equal(wordErrors("I'm sorry, that’s 25 dollars.", 'I am sorry. That is twenty-five dollars').errors, 0)
  assert.equal(wordErrors('Um 6 Uhr, Straße 12', 'um sechs uhr strasse zwölf', 'de').errors, 0)
  assert.equal(wordErrors('Press 1 or 2.', 'press one or two').errors, 0)
})

test('computes the rate over all words', () => {
  const pairs = [
    { said: 'one two three four five six seven eight nine', heard: 'one two three four five six seven eight nine' },
    { said: 'yes', heard: 'no' },
  ]
  assert.equal(wordErrorRate(pairs), 0.1)
})
