import assert from 'node:assert/strict'
import { test } from 'node:test'
import { languageFor } from './languages.ts'

test('takes the first supported language of the browser, else English', () => {
  assert.equal(languageFor(['de-AT', 'en']), 'de')
  assert.equal(languageFor(['fr-FR', 'en-US', 'de']), 'en')
  assert.equal(languageFor(['fr']), 'en')
  assert.equal(languageFor([]), 'en')
})
