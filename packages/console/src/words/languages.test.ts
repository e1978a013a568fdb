import assert from 'node:assert/strict'
import { test } from 'node:test'
import { languageFor } from './languages.ts'

test('the first language of the browser that we speak is taken, else English', () => {
  assert.equal(languageFor(['de-AT', 'en']), 'de')
  assert.equal(languageFor(['fr-FR', 'en-US', 'de']), 'en')
  assert.equal(languageFor(['fr']), 'en')
  assert.equal(languageFor([]), 'en')
})
