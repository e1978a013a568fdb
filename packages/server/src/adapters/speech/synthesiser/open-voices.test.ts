import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SpeechUnavailable } from '../../../core/ports/speech.ts'
import { openVoices } from './open-voices.ts'

test('that a voice is being loaded is told, and what came of it', async (t) => {
  const told: string[] = []
  const { promise: done, resolve } = Promise.withResolvers<void>()
  const tell = (_facts: unknown, message?: string): void => {
    if (message === undefined) return
    told.push(message)
    if (told.length === 2) resolve()
  }
  const models = { folderWith: () => Promise.reject(new SpeechUnavailable('not fetched: a voice')) }
  const voices = await openVoices({ models, workers: 1, logger: { info: tell, warn: tell } })
  t.after(() => voices.close())
  voices.prepare(['en-US'])
  await done
  assert.deepEqual(told, ['the voice is being loaded', 'can not be spoken: not fetched: a voice'])
})
