import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explainCodes, rejectedCodes } from '../../../../../server/src/core/account/portings/porting-machine.ts'
import { refusals, wordsOfRefusal } from './refusals.ts'

test('every rejection code of a carrier has a text in both languages', () => {
  const languages: Readonly<Record<string, string>>[] = [refusals.en, refusals.de]
  for (const known of languages)
    for (const code of [...rejectedCodes, '8141', '8142'])
      assert.deepEqual(wordsOfRefusal(explainCodes([code]), known), [known[code]], code)
})

test('shows equal sentences once, and unknown reasons unchanged', () => {
  assert.deepEqual(wordsOfRefusal(explainCodes(['8108', '8109', '8114', '9999']), refusals.en), [
    'The address does not match.',
    'There are other account holders.',
    '9999 unknown code.',
  ])
})
