import assert from 'node:assert/strict'
import { test } from 'node:test'
import { partsOf, soundOfSentence } from './utterance.ts'

test('pauses and hesitates after the named words', () => {
  const hesitates = [{ after: 'I would like', pause_ms: 900, filler: 'um' }, { after: 'for four' }]
  assert.deepEqual(partsOf('I would like a table for four.', hesitates), [
    { text: 'I would like,' },
    { pauseMs: 80 },
    { text: 'um,' },
    { pauseMs: 900 },
    { text: 'a table for four,' },
    { pauseMs: 500 },
  ])
  assert.deepEqual(partsOf('Hello.'), [{ text: 'Hello.' }])
})

test('joins sound and silence', async () => {
  const soundOf = async (text: string): Promise<Int16Array> => new Int16Array(text.length).fill(1)
  const sound = await soundOfSentence({ soundOf }, { text: 'So yes', language: 'en', hesitates: [{ after: 'So', pause_ms: 10 }] }, 1_000)
  assert.deepEqual([...sound], [1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1])
})
