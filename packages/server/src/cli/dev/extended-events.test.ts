import assert from 'node:assert/strict'
import { test } from 'node:test'
import { extendedEvents, usualExtendedEvents } from '@offhook/contract/assistant/events.ts'
import { eventsAskedFor, eventsLine, withEvents } from '../dev.ts'

test('defaults to the usual events, accepts all, and rejects unknown names', () => {
  assert.deepEqual(eventsAskedFor(undefined), [])
  assert.deepEqual(eventsAskedFor(true), usualExtendedEvents)
  assert.deepEqual(eventsAskedFor('all'), extendedEvents)
  assert.deepEqual(eventsAskedFor('dtmf_received, user_speak_partial'), ['dtmf_received', 'user_speak_partial'])
  assert.throws(
    () => eventsAskedFor('dtmf_received,dtfm'),
    /There is no event dtfm\. --events all, or some of:\n {2}assistant_speech_ended\n/,
  )
})

test('keeps the events that a flow already has', () => {
  assert.deepEqual(withEvents(true, ['user_speak_partial']), [...usualExtendedEvents, 'user_speak_partial'])
  assert.deepEqual(withEvents(['user_speak_partial'], usualExtendedEvents), [...usualExtendedEvents, 'user_speak_partial'])
  assert.deepEqual(withEvents(['dtmf_received'], ['dtmf_received', 'user_backchannel']), ['dtmf_received', 'user_backchannel'])
  assert.deepEqual(withEvents(undefined, ['dtmf_received']), ['dtmf_received'])
  assert.deepEqual(withEvents(false, []), [])
})

test('prints in one line the events, those impossible over a webhook, and how to get the rest', () => {
  const basic = 'session_start, user_speak, assistant_speak, session_end'
  const usual = 'with --events (the usual ones), --events all or --events name,…'
  assert.equal(eventsLine(undefined, true), `${basic}; ${extendedEvents.length} more ${usual}`)
  const some = ['dtmf_received', 'user_speak_partial'] as const
  assert.equal(
    eventsLine([...some], true),
    `${basic}, dtmf_received; user_speak_partial over a WebSocket only; ${extendedEvents.length - 2} more ${usual}`,
  )
  assert.equal(eventsLine([...extendedEvents], false), [basic, ...extendedEvents].join(', '))
  assert.ok(!eventsLine(true, true).includes('\n'))
})
