import assert from 'node:assert/strict'
import { test } from 'node:test'
import { extendedEvents as known, usualExtendedEvents } from '@offhook/contract/assistant/events.ts'
import {
  endpointProtocols,
  FlowWish,
  mediaFormats as knownFormats,
  mediaModes as knownModes,
  mediaRates as knownRates,
} from '@offhook/contract/v3/flow-values.ts'
import type { Flow } from '../parts/flow-state.tsx'
import {
  extendedEvents,
  formOf,
  leadsElsewhere,
  mayBeOfferedEvents,
  mediaFormats,
  mediaModes,
  mediaRates,
  protocols,
  unset,
  withUsualEvents,
  inputOf,
} from './flow-form.ts'
import { changedIn, placedFields } from './groups.ts'
import { text } from './text.ts'

const speech = { speaks: { language: 'en' }, hears: { language: 'en' } }

/** Every setting with a non-default value. */
const full = {
  name: 'Bot',
  endpoint: 'assistant',
  webhookUrl: 'https://example.com/hook',
  websocketUrl: 'wss://example.com/socket',
  fallbackUrl: 'https://example.com/fallback',
  protocol: 'offhook',
  media: { mode: 'both', format: 'pcmu', rate: 8000 },
  phone_number: '493012345',
  language: 'de-DE',
  tts: { provider: 'openai', language: 'de', voice: 'nova' },
  stt: { provider: 'deepgram', languages: ['de', 'en'], custom_vocabulary: ['Offhook'] },
  pronunciations: [
    { word: 'Siegl', say: 'Seegle' },
    { word: 'A (b) = c', say: '/wɪn/', language: 'de-DE' },
  ],
  barge_in: { strategy: 'minimum_characters', minimum_characters: 5, allow_after_ms: 300 },
  vad: { end_of_turn_silence_ms: 700 },
  turn_taking: 'patient',
  fillers: { after_ms: 900, texts: ['One moment.'], off: true },
  timeouts: { attempt_ms: 4000, total_ms: 9000, user_input_seconds: 0, silence_seconds: 60, max_call_seconds: 600 },
  fallback: { text: 'Sorry', transfer_to: 'p0' },
  retry_text: 'Once more, please',
  extended_events: ['dtmf_received'],
  transfer_targets: ['+4930*'],
  recording: true,
  keep_timeline: false,
  redact: ['card', 'iban'],
  answering_machine_detection: 'event',
  answer_after_seconds: 0,
  variables: { first_name: '', name: 'Ada = Eve', order: 17, code: '17', vip: true, note: '"quoted"' },
} satisfies ReturnType<typeof inputOf>

test('round-trips all settings', () => {
  const flow: Flow = { id: '1', apiKeySet: true, version: 1, speech, ...full }
  assert.deepEqual(inputOf(formOf(flow)), full)
  const settable = Object.keys(FlowWish.properties).filter((name) => name !== 'apiKey')
  assert.deepEqual(settable.toSorted(), Object.keys(full).toSorted(), 'the form knows every setting')
})

test('omits unset settings', () => {
  assert.deepEqual(inputOf(formOf({ id: '1', name: 'Bot', apiKeySet: false, version: 1, speech })), { name: 'Bot' })
})

test('sends a pronunciation without its half, for the service to say what is missing', () => {
  const form = { ...formOf({ id: '1', name: 'Bot', apiKeySet: false, version: 1, speech }), pronunciations: ['Siegl'] }
  assert.deepEqual(inputOf(form).pronunciations, [{ word: 'Siegl', say: '' }])
})

test('offers every protocol and audio mode', () => {
  assert.deepEqual(protocols, endpointProtocols)
  assert.deepEqual([mediaModes, mediaFormats, mediaRates], [knownModes, knownFormats, knownRates])
})

test('sends the audio mode only if chosen, and if the protocol leaves the choice', () => {
  const form = { ...formOf({ id: '1', name: 'Bot', apiKeySet: false, version: 1, speech }), 'media/mode': 'audio', 'media/rate': 24_000 }
  assert.deepEqual(inputOf(form).media, { mode: 'audio', rate: 24_000 })
  assert.equal(inputOf({ ...form, 'media/mode': 'text' }).media, undefined)
  assert.equal(inputOf({ ...form, protocol: 'retell' }).media, undefined)
  assert.equal(inputOf({ ...form, protocol: 'openai_realtime' }).media, undefined, 'it is sound anyway')
  assert.deepEqual(inputOf({ ...form, protocol: 'openai_realtime', 'media/mode': 'both' }).media, { mode: 'both' })
})

test('third-party servers have one kind of address', () => {
  const form = {
    ...formOf({ id: '1', name: 'Bot', apiKeySet: false, version: 1, speech }),
    webhookUrl: 'https://a.example',
    websocketUrl: 'wss://a.example',
  }
  assert.deepEqual(inputOf({ ...form, protocol: 'retell' }), { name: 'Bot', protocol: 'retell', websocketUrl: 'wss://a.example' })
  assert.deepEqual(inputOf({ ...form, protocol: 'vapi' }), { name: 'Bot', protocol: 'vapi', webhookUrl: 'https://a.example' })
})

test('keeps, replaces or removes the key', () => {
  const form = formOf({ id: '1', name: 'Bot', apiKeySet: true, version: 1, speech })
  assert.equal('apiKey' in inputOf(form), false)
  assert.equal(inputOf({ ...form, apiKey: 'new' }).apiKey, 'new')
  assert.equal(inputOf({ ...form, removeApiKey: true }).apiKey, null)
})

test('ticks the default extended events if the flow has them all, and allows each one', () => {
  const form = formOf({ id: '1', name: 'Bot', apiKeySet: false, version: 1, speech, extended_events: true })
  assert.deepEqual(form.extended_events, usualExtendedEvents)
  assert.deepEqual(extendedEvents.toSorted(), known.toSorted())
})

test('adds the default events to those named before, without duplicates', () => {
  assert.deepEqual(withUsualEvents([]), usualExtendedEvents)
  const named = ['user_speak_preview', 'dtmf_received', 'user_speak_revoked']
  const all = withUsualEvents(named)
  assert.deepEqual(all.slice(0, 3), named)
  assert.deepEqual(all.toSorted(), [...usualExtendedEvents, 'user_speak_preview', 'user_speak_revoked'].toSorted())
})

test('offers more events once an endpoint is connected, until some were chosen', () => {
  const flow: Flow = { id: '1', name: 'Bot', apiKeySet: false, version: 1, speech }
  const connected: Flow = { ...flow, webhookUrl: 'https://example.com' }
  assert.equal(mayBeOfferedEvents(flow), false)
  assert.equal(mayBeOfferedEvents({ ...connected, endpoint: 'assistant' }), false)
  assert.equal(mayBeOfferedEvents({ ...connected, protocol: 'retell' }), false)
  for (const one of [connected, { ...flow, websocketUrl: 'wss://example.com' }, { ...flow, listener: {} }])
    assert.equal(mayBeOfferedEvents(one), true)
  assert.equal(mayBeOfferedEvents({ ...connected, extended_events: ['user_speak_preview', 'user_speak_revoked'] }), true)
  for (const chosen of [true, ['dtmf_received' as const]])
    assert.equal(mayBeOfferedEvents({ ...connected, extended_events: chosen }), false)
})

test('trims typed text, and treats only spaces as empty', () => {
  const form = formOf({ id: '1', name: ' Bot ', apiKeySet: false, version: 1, speech })
  assert.deepEqual(inputOf({ ...form, webhookUrl: ' https://example.com ', language: '  ' }), {
    name: 'Bot',
    webhookUrl: 'https://example.com',
  })
})

test('every field has its place on the page', () => {
  assert.deepEqual(placedFields, Object.keys(unset).toSorted())
  assert.deepEqual(changedIn('turns', { ...unset, turn_taking: 'patient', 'barge_in/allow_after_ms': 0 }, text.en), [
    text.en.allowAfter,
    text.en.turnTaking,
  ])
  assert.deepEqual(changedIn('turns', unset, text.en), [])
})

test('detects an address at a host that the stored key is not for', () => {
  const flow: Flow = { id: '1', name: 'Bot', apiKeySet: true, version: 1, speech, webhookUrl: 'https://a.example/x' }
  const form = formOf(flow)
  assert.equal(leadsElsewhere({ ...form, webhookUrl: 'https://a.example/y', websocketUrl: 'wss://a.example/' }, flow), false)
  assert.equal(leadsElsewhere({ ...form, fallbackUrl: 'https://b.example/' }, flow), true)
})
