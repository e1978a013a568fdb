import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectedAnswer } from './expected-answer.ts'

test('lists the likely answers', () => {
  assert.equal(expectedAnswer({ expects: 'anything' }, 'de-DE'), undefined)
  assert.deepEqual(expectedAnswer({ expects: 'name' }, 'de-DE'), { phrases: [] })
  assert.deepEqual(expectedAnswer({ expects: 'options', expectsOptions: ['Vertrieb', 'Technik'] }, 'de'), {
    phrases: ['Vertrieb', 'Technik'],
  })
  assert.deepEqual(expectedAnswer({ expects: 'yes_no' }, 'de-AT')?.phrases.slice(0, 2), ['ja', 'nein'])
  assert.deepEqual(expectedAnswer({ expects: 'yes_no' }, 'pl'), { phrases: [] })
})
