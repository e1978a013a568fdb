import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Action, ActionOf } from '@offhook/contract/assistant/actions.ts'
import { listeningAfter } from './session-state.ts'

const session_id = 'session'
const speak = (more: Partial<ActionOf<'speak'>>): Action => ({ type: 'speak', session_id, text: 'Please.', ...more })
const configure = (more: Partial<ActionOf<'configure_transcription'>>): Action => ({ type: 'configure_transcription', session_id, ...more })
const after = (...actions: Action[]) =>
  actions.reduce<ReturnType<typeof listeningAfter>>((before, action) => listeningAfter(before, action), undefined)

test('restores endpointing after a takeover: the expectation until the next speech, and the mode', () => {
  assert.equal(after(speak({})), undefined)
  const digits = { expects: 'digits', expects_digits: 6 } as const
  const options = { expects: 'options' as const, expects_options: ['sales', 'support'] }
  assert.deepEqual(after(configure({ turn_taking: 'patient' }), speak(digits)), { turn_taking: 'patient', ...digits })
  assert.deepEqual(after(speak(digits), speak(options)), options)
  assert.deepEqual(after(speak(digits), configure({ languages: ['de'] })), { languages: ['de'], ...digits })
  assert.deepEqual(after(configure({ turn_taking: 'quick' }), speak(digits), speak({})), { turn_taking: 'quick' })
  assert.deepEqual(after(speak({ expects: 'name', vad: { end_of_turn_silence_ms: 900 } }), speak({})), {
    vad: { end_of_turn_silence_ms: 900 },
  })
})

test('keeps the expectation for later parts of a stream, not for another speech', () => {
  const first = speak({ stream_id: 'one', last: false, expects: 'address' })
  assert.equal(after(first, speak({ stream_id: 'one' }))?.expects, 'address')
  assert.equal(after(first, speak({ stream_id: 'two' }))?.expects, undefined)
})
