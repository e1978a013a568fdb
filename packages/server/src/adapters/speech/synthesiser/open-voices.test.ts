// test: own process
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SpeechUnavailable } from '#core/kernel/ports/speech.ts'
import type { Log } from '#log/log-events.ts'
import { openVoices } from './open-voices.ts'

test('reports the start and the outcome of loading a voice', async (t) => {
  const notified: string[] = []
  const log: Log = (event, fields) => {
    if (event === 'voice_unavailable') notified.push(String(fields?.why))
  }
  const begin = (what: string) => {
    notified.push(what)
    return (outcome: string) => void notified.push(outcome)
  }
  const models = { folderWith: () => Promise.reject(new SpeechUnavailable('not fetched: a voice')) }
  const voices = await openVoices({ models, workers: 1, log, loading: { begin } })
  t.after(() => voices.close())
  await voices.prepare(['en-US'])
  assert.deepEqual(notified, ['voice en-US', 'failed', 'not fetched: a voice'])
})
