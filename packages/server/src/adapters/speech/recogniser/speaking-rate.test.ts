import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withinSpeakingRate } from './speaking-rate.ts'

const within = (text: string, loudMs: number): string => {
  const heard = withinSpeakingRate({ text, confidence: 0.9 }, loudMs)
  return heard.confidence === 0.9 ? heard.text : `unclear: ${heard.text}`
}

test('removes repetitions for which the voice was too short', () => {
  assert.equal(within('No, no, no, no, no, no, no, no.', 300), 'No, no, no, no, no.')
  assert.equal(within('I want to go to go to go to go to go to go.', 500), 'I want to go to go.')
  assert.equal(within('Oliver Oliver Oliver Oliver Oliver Oliver', 600), 'Oliver Oliver')
  assert.equal(within('the the the the the the the the the house', 300), 'the the the house')
})

test('keeps repetitions that can have been said', () => {
  for (const text of ['No, no, no, no, no, no.', '0 8 0 0 0 8 0 0', 'Ja, ja, ja.']) assert.equal(within(text, 1_500), text)
  assert.equal(within('Yes.', 100), 'Yes.')
  assert.equal(within('Um Gottes willen, das geht doch nicht', 1_200), 'Um Gottes willen, das geht doch nicht')
  assert.equal(within('', 0), '')
})

test('more digits or syllables than can be said are unclear', () => {
  assert.equal(within('030231233444', 1_500), 'unclear: 030231233444')
  assert.equal(within('0 3 0 2 3 1 2', 1_500), '0 3 0 2 3 1 2')
  assert.equal(
    within('Subtitles by the unbelievable community of translators', 500),
    'unclear: Subtitles by the unbelievable community of translators',
  )
})
