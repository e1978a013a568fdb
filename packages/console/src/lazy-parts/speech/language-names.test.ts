import assert from 'node:assert/strict'
import { test } from 'node:test'
import { languageChoices, tagOf } from './language-names.ts'

test('lists languages by name, and accepts any typed tag', () => {
  const german = languageChoices('de', ['pt', 'x'])
  assert.equal(german.find(({ value }) => value === 'de-AT')?.label, 'Österreichisches Deutsch')
  assert.equal(german.find(({ value }) => value === 'pt')?.label, 'Portugiesisch')
  assert.deepEqual(
    german.filter(({ value }) => value === 'x'),
    [{ value: 'x', label: 'x' }],
    'what is no tag stays as it is',
  )
  assert.deepEqual([tagOf('DE-de '), tagOf('gsw'), tagOf('not a tag'), tagOf('')], ['de-DE', 'gsw', undefined, undefined])
})
