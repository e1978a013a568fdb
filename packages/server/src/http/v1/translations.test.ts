import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorld } from '#test/world/world.ts'

test('serves texts in the supported languages without a token', async (t) => {
  const world = await startWorld(t)
  const api = world.client()
  const english = await api.getTranslations({ language: 'en_US' })
  const german = await api.getTranslations({ language: 'de_DE' })
  assert.deepEqual(Object.keys(german).toSorted(), Object.keys(english).toSorted())
  assert.equal(english['error.device_not_found'], 'There is no device with this id.')
  assert.notEqual(german['error.device_not_found'], english['error.device_not_found'])
  for (const language of ['de-DE', 'de_AT', 'de-CH', 'de', 'DE_de', 'de-Latn-CH'])
    assert.deepEqual(await api.getTranslations({ language }), german, language)
  for (const language of ['en', 'en_GB']) assert.deepEqual(await api.getTranslations({ language }), english, language)
  for (const language of ['fr_FR', 'd', 'deu', 'de_', 'constructor', '__proto__', '../de_DE'])
    await assert.rejects(api.getTranslations({ language }), { status: 404 })
})
