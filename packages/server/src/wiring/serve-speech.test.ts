import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { CannotStart } from '#settings/cannot-start.ts'
import { readSettings } from '#settings/config.ts'
import { startSpeechService } from './serve-speech.ts'
import { openSpeech } from './speech.ts'

const log = (): void => {}
const tones = { OFFHOOK_SPEECH: 'tones', OFFHOOK_SPEECH_LISTEN: '127.0.0.1:0' }

test('starts the speech service with a key, and ends it', async (t) => {
  const OFFHOOK_DATA = await temporaryFolder(t)
  const running = await startSpeechService(readSettings({ ...tones, OFFHOOK_DATA, OFFHOOK_SPEECH_KEY: 'old-key,new-key' }), log)
  t.after(() => running.close())
  for (const key of ['old-key', 'new-key']) {
    const { status } = await fetch(`${running.url}/models`, { headers: { authorization: `Bearer ${key}` } })
    assert.equal(status, 200)
  }
  await running.drain(1_000)
  await running.close()
  await assert.rejects(fetch(`${running.url}/models`))
})

test('names the setting that keeps the speech service from starting', async (t) => {
  const OFFHOOK_DATA = await temporaryFolder(t)
  const bus = { OFFHOOK_BUS: 'nats://127.0.0.1:1' }
  const cases: [Record<string, string>, RegExp][] = [
    [{}, /OFFHOOK_SPEECH_KEY is missing/],
    [bus, /OFFHOOK_SECRET_KEY is missing/],
    [{ OFFHOOK_SPEECH_KEY: 'k', OFFHOOK_SPEECH_LISTEN: '0.0.0.0:0' }, /OFFHOOK_SPEECH_LISTEN=0\.0\.0\.0 needs OFFHOOK_TLS_CERT/],
    [{ OFFHOOK_SPEECH_KEY: 'k', OFFHOOK_SPEECH: 'off' }, /no models that could hear and speak/],
    [
      { OFFHOOK_SPEECH_KEY: 'k', OFFHOOK_SPEECH_LISTEN: '192.0.2.1:0', ...bus, OFFHOOK_SECRET_KEY: randomBytes(32).toString('base64') },
      /192\.0\.2\.1/,
    ],
  ]
  for (const [settings, reason] of cases)
    await assert.rejects(startSpeechService(readSettings({ ...tones, OFFHOOK_DATA, ...settings }), log), (error) => {
      assert.ok(error instanceof CannotStart, String(error))
      assert.match(error.message, reason)
      return true
    })
})

test('rejects speech services without an address, and addresses without TLS', async () => {
  await assert.rejects(openSpeech({ settings: readSettings({ OFFHOOK_SPEECH: 'service' }), log }), /OFFHOOK_BUS.*OFFHOOK_SPEECH_URL/)
  assert.throws(() => readSettings({ OFFHOOK_SPEECH_URL: 'http://speech.example:8090/v1' }), /OFFHOOK_SPEECH_URL must begin with https:/)
  assert.throws(() => readSettings({ OFFHOOK_SPEECH_URL: 'speech.example' }), /OFFHOOK_SPEECH_URL must be addresses/)
  assert.throws(() => readSettings({ OFFHOOK_SPEECH_FALLBACK: 'embedded,nobody' }), /OFFHOOK_SPEECH_FALLBACK must be one of/)
  const { OFFHOOK_SPEECH_URL: urls } = readSettings({ OFFHOOK_SPEECH_URL: 'http://127.0.0.1:8090/v1/, https://a.example/v1' })
  assert.deepEqual(urls, ['http://127.0.0.1:8090/v1', 'https://a.example/v1'])
})
