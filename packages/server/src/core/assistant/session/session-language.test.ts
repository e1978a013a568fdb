import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemPhraseLanguage, SessionLanguage } from './session-language.ts'

const notified = 'bonjour je voudrais un rendez-vous'

test("starts with the flow's language unless the recogniser expects others", () => {
  assert.equal(new SessionLanguage('de-DE').now, 'de-DE')
  assert.equal(new SessionLanguage('de-DE', ['en', 'de']).now, 'de-DE')
  assert.equal(new SessionLanguage('en', ['de-AT', 'it']).now, 'de-AT')
})

test('follows the languages that the endpoint configures', () => {
  const language = new SessionLanguage('en')
  language.expect(['fr-CA', 'en-US'])
  assert.equal(language.now, 'en', 'which is still among them')
  language.expect(['fr-CA'])
  assert.equal(language.now, 'fr-CA')
  language.expect(['en'])
  assert.equal(language.now, 'en')
})

test('follows the caller after one sentence or two agreeing short turns', () => {
  const language = new SessionLanguage('en', ['en', 'fr-FR', 'de'])
  assert.ok(!language.heard({ text: 'Oui', language: 'fr' }))
  assert.ok(!language.heard({ text: 'Hallo', language: 'de' }))
  assert.ok(!language.heard({ text: 'Oui', language: 'fr' }))
  assert.equal(language.now, 'en', 'one word does not tell')
  assert.ok(language.heard({ text: 'Oui, bonjour', language: 'fr' }))
  assert.equal(language.now, 'fr-FR', 'as the list calls it')
  assert.ok(!language.heard({ text: notified, language: 'fr' }))
  assert.ok(language.heard({ text: 'I would rather speak English', language: 'en-US' }))
  assert.equal(language.now, 'en')
})

test('keeps a settled language until the endpoint expects others', () => {
  const language = new SessionLanguage('en', ['en-GB', 'fr-FR'])
  language.heard({ text: 'Yes', language: 'en' })
  assert.equal(language.settled, undefined)
  language.heard({ text: 'Oui', language: 'fr' })
  language.heard({ text: 'No', language: 'en' })
  assert.equal(language.settled, undefined, 'they do not agree')
  assert.ok(!language.heard({ text: 'Hello', language: 'en' }), 'it is in force already')
  assert.equal(language.settled, 'en-GB')
  language.expect(['de', 'fr-FR'])
  assert.equal(language.settled, undefined)
  language.heard({ text: notified, language: 'fr' })
  assert.equal(language.settled, 'fr-FR')
  const alone = new SessionLanguage('fr')
  alone.heard({ text: notified, language: 'fr' })
  assert.equal(alone.settled, undefined, 'there was nothing to choose')
})

test('ignores an unexpected language', () => {
  const language = new SessionLanguage('en')
  for (const turn of [{ text: notified, language: 'fr' }, { text: notified }, { text: '' }]) assert.ok(!language.heard(turn))
  assert.equal(language.now, 'en')
})

test('chooses a language for system phrases that has phrases and a voice', () => {
  const all = (): boolean => true
  assert.equal(systemPhraseLanguage({ now: 'fr-CA', own: 'de' }, all), 'fr-CA')
  assert.equal(
    systemPhraseLanguage({ now: 'fr-CA', own: 'de' }, (language) => language === 'de'),
    'de',
  )
  assert.equal(systemPhraseLanguage({ now: 'ru', own: 'de' }, all), 'de')
  assert.equal(systemPhraseLanguage({ now: 'ru', own: 'pl' }, all), 'en', 'English words are not said by a Russian voice')
})
