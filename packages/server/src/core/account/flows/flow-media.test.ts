import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'
import { asSoundFlow, requireMedia, mediaOf } from './check-settings.ts'

const websocketUrl = 'wss://example.com/socket'

test('defaults to 16 kHz PCM, and to 8 kHz for telephone codecs', () => {
  const resolved = (settings: FlowSettings): unknown => Object.values(mediaOf({ websocketUrl, ...settings }) ?? {})
  assert.deepEqual(resolved({}), [])
  assert.deepEqual(resolved({ media: { mode: 'text' } }), [])
  assert.deepEqual(resolved({ media: { mode: 'both' } }), ['both', 'pcm16', 16_000])
  assert.deepEqual(resolved({ media: { mode: 'audio', format: 'pcma' } }), ['audio', 'pcma', 8000])
  assert.deepEqual(resolved({ media: { mode: 'audio', rate: 24_000 } }), ['audio', 'pcm16', 24_000])
  assert.deepEqual(resolved({ protocol: 'media_streams' }), ['audio', 'pcmu', 8000])
  assert.deepEqual(resolved({ protocol: 'openai_realtime', media: { mode: 'both' } }), ['both', 'pcmu', 8000])
  assert.deepEqual(resolved({ endpoint: 'assistant', media: { mode: 'both' } }), [], 'assistants that are written here take words')
})

test('rejects impossible media settings and names the field', () => {
  const refused = (settings: FlowSettings, what: RegExp): void => assert.throws(() => requireMedia(settings), what)
  refused({ media: { mode: 'audio' } }, /needs websocketUrl/)
  refused({ websocketUrl, media: { mode: 'audio', format: 'pcmu', rate: 16_000 } }, /must be 8000 with pcmu/)
  refused({ websocketUrl, protocol: 'retell', media: { mode: 'audio' } }, /protocol retell has no sound/)
  refused({ websocketUrl, protocol: 'media_streams', media: { mode: 'audio', format: 'pcm16' } }, /must be pcmu with media_streams/)
  requireMedia({ websocketUrl, media: { mode: 'both', format: 'pcma', rate: 8000 } })
  requireMedia({ endpoint: 'assistant', media: { mode: 'both' } })
})

test('turns fillers off for audio-only flows and leaves barge-in to third-party servers', () => {
  const lived = (settings: FlowSettings): FlowSettings => asSoundFlow({ id: 'f', name: 'f', settings }).settings
  assert.deepEqual(lived({ websocketUrl, media: { mode: 'audio' } }).bargeIn, undefined)
  assert.deepEqual(lived({ websocketUrl, media: { mode: 'audio' } }).fillers, { off: true })
  assert.deepEqual(lived({ websocketUrl, protocol: 'media_streams' }).bargeIn, { strategy: 'manual' })
  const immediate = { strategy: 'immediate' } as const
  assert.deepEqual(lived({ websocketUrl, protocol: 'openai_realtime', bargeIn: immediate }).bargeIn, immediate)
  assert.deepEqual(lived({ websocketUrl, media: { mode: 'both' } }), { websocketUrl, media: { mode: 'both' } })
})
