// test: own process
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Log } from '#log/log-events.ts'
import { readSettings } from '#settings/config.ts'
import { openSpeech } from '../speech.ts'

test('downloads no models where none can run, keeps providers working, and logs the reason', async (t) => {
  const notified: unknown[][] = []
  const log = ((...line: unknown[]) => void notified.push(line)) as Log
  const settings = readSettings({ OFFHOOK_MODELS: '/nowhere', OFFHOOK_DEEPGRAM_KEY: 'a-key-that-nobody-has' })
  const speech = await openSpeech({ settings, log, machine: { withoutModels: 'no library for this machine' } })
  t.after(() => speech.close())
  void speech.prepare(['en-US'])
  assert.deepEqual(notified, [['speech_models_unusable', { why: 'no library for this machine' }]])
  assert.deepEqual([speech.stt('embedded') !== undefined, speech.stt('deepgram') !== undefined], [false, true])
})
