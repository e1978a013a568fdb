import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'
import { stepsOf } from './turn-steps.ts'

const notifications = (times: Partial<TimelineEntryOf<'turn'>>): string[] =>
  stepsOf({ callId: 'c', sequence: 1, at: 0, kind: 'turn', turn: 1, ...times }).map(({ step, fromMs, toMs }) => `${step} ${fromMs}-${toMs}`)

test('starts each step at the end of the previous one', () => {
  const times = { vadEndMs: 90, endpointMs: 400, sttFinalMs: 450, decidedMs: 460, sentMs: 462, answeredMs: 700, firstSoundMs: 850 }
  assert.deepEqual(notifications(times), ['pause 0-400', 'recognition 400-462', 'endpoint 462-700', 'voice 700-850'])
})

test('counts no recognition time if the words were known before the silence ended', () => {
  assert.deepEqual(notifications({ endpointMs: 400, sttFinalMs: 250, decidedMs: 400, sentMs: 400 }), ['pause 0-400', 'recognition 400-400'])
})

test('keeps steps monotonic when an answer plays before it is complete', () => {
  assert.deepEqual(notifications({ endpointMs: 400, decidedMs: 410, answeredMs: 900, firstSoundMs: 700 }).slice(2), [
    'endpoint 410-900',
    'voice 900-900',
  ])
})
