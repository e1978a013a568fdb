import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actions, type Action } from '@offhook/contract/assistant/actions.ts'
import { fc } from '#test/chance/fast-check.ts'
import { Value } from 'typebox/value'
import { maxReplyBytes, readEndpointReply } from './read-endpoint-reply.ts'

const sessionId = '6f1f2c0e-7d0b-4a53-9f0e-2a1b7f4c9d11'
const readText = (text: string) => readEndpointReply(Buffer.from(text), sessionId)
const read = (value: unknown) => readText(JSON.stringify(value))
const messages = (value: unknown) => read(value).problems.map(({ message }) => message)

/** Returns an action that was read without problems. */
const done = (value: unknown): Action => {
  const {
    actions: [first, ...more],
    problems,
  } = read(value)
  assert.deepEqual([problems, more.length], [[], 0])
  assert.ok(first)
  return first
}

/** The result is the same with `session_id`. */
const speak = (more: object) => ({ type: 'speak', session_id: sessionId, text: 'Hi', ...more })

test('accepts every spelling of an empty reply without a problem', () => {
  const spellings = ['', ' ', '\r\n\t ', '{}', '[]', 'null', '[null]', '{"success":true}', '[{}]', '\uFEFF', '\uFEFF{}', ' [ ] ']
  for (const text of spellings) assert.deepEqual(readText(text), { actions: [], problems: [] }, JSON.stringify(text))
})

test('reports unreadable replies and returns no action', () => {
  for (const text of ['OK', '<html>', '{"type":"speak"', '{]', '\0', '"speak"', '5', 'true', '[[]]', '[5]', '{"type":5}'])
    assert.deepEqual([readText(text).actions.length, readText(text).problems.length], [0, 1], text)
  assert.deepEqual(messages({ error: 'no such session' }), ['the endpoint reports an error'])
  for (const text of ['<html>', '{"type":"speak"', '{]', '\0']) assert.equal(readText(text).refused, 'the answer is not JSON', text)
  for (const text of ['', '{}', '[]', 'null', 'OK', 'Accepted', '"speak"', '{"success":true}', '{"type":"connected"}', '{"error":"no"}'])
    assert.equal(readText(text).refused, undefined, text)
})

test('reads one or several actions in order', () => {
  assert.deepEqual(done({ type: 'hangup', session_id: sessionId }), { type: 'hangup', session_id: sessionId })
  const both = read([{ type: 'barge_in', session_id: sessionId }, speak({})])
  assert.deepEqual(both, { actions: [{ type: 'barge_in', session_id: sessionId }, speak({})], problems: [] })
})

test("defaults session_id to the event's and rejects another one", () => {
  assert.equal(done({ type: 'hangup' }).session_id, sessionId)
  assert.deepEqual(read({ type: 'hangup', session_id: 'another' }), {
    actions: [],
    problems: [{ index: 0, type: 'hangup', message: 'session_id is that of another session' }],
    refused: 'session_id is that of another session',
  })
  const mixed = read([{ type: 'hangup', session_id: 'another' }, speak({})])
  assert.deepEqual([mixed.actions.length, mixed.problems.length, mixed.refused], [1, 1, undefined])
})

test('ignores unknown actions and reports their index', () => {
  const { actions: list, problems } = read([speak({}), { type: 'connected' }])
  assert.equal(list.length, 1)
  assert.deepEqual(problems, [{ index: 1, type: 'connected', message: 'type is no known action' }])
  assert.equal(read({ type: 'constructor' }).actions.length, 0)
  assert.equal(read({ type: '__proto__' }).actions.length, 0)
})

test('reads a speech as text or SSML from either field', () => {
  assert.deepEqual(done(speak({})), speak({}))
  const ssml = ' <speak version="1.0">Hi</speak>'
  const asSsml = { type: 'speak', session_id: sessionId, ssml }
  assert.deepEqual(done(speak({ text: ssml })), asSsml)
  assert.deepEqual(done(asSsml), asSsml)
  assert.deepEqual(read(speak({ ssml })), {
    actions: [asSsml],
    problems: [{ index: 0, type: 'speak', message: 'text is not spoken, because there is ssml too' }],
  })
  assert.deepEqual(done(speak({ text: '<speakers> are on' })), speak({ text: '<speakers> are on' }))
  for (const text of [undefined, null]) assert.deepEqual(messages(speak({ text })), ['text or ssml is required'])
  assert.deepEqual(messages(speak({ text: 5 })), ['text must be a string'])
})

test('reports a reply in which nothing can be said, and keeps its other actions', () => {
  const nothing = 'there is nothing in it that a voice can say'
  for (const empty of [
    { text: '' },
    { text: '  ' },
    { text: '👍' },
    { text: '…' },
    { text: '<speak></speak>' },
    { ssml: '<speak> </speak>' },
  ]) {
    const reply = read(speak({ text: undefined, ...empty }))
    assert.deepEqual(reply, { actions: [], problems: [{ index: 0, type: 'speak', message: nothing }], unspeakable: nothing })
  }
  const others = { note: 'note', done: 'done', speak: 'speak', hangup: 'hangup' } as const
  for (const type of Object.values(others)) {
    const more = type === 'speak' ? speak({}) : { type, session_id: sessionId, ...(type === 'note' && { name: 'n' }) }
    const reply = read([speak({ text: '👍' }), more])
    assert.equal(reply.actions.length, 1, type)
    assert.equal(reply.unspeakable, type === 'speak' || type === 'hangup' ? undefined : nothing, type)
  }
})

test('reads parts of a streamed speech and accepts an empty last part', () => {
  assert.deepEqual(done(speak({ stream_id: 'a', last: false, turn: 3 })), speak({ stream_id: 'a', last: false, turn: 3 }))
  assert.deepEqual(done(speak({ stream_id: 'a', last: true, text: undefined })), speak({ stream_id: 'a', last: true, text: '' }))
  assert.deepEqual(messages(speak({ stream_id: 'a'.repeat(101) })), ['stream_id has more than 100 characters'])
  assert.equal(read(speak({ stream_id: 5 })).actions.length, 0)
  assert.deepEqual(messages(speak({ turn: 1.5 })), ['turn must be a whole number'])
})

test('normalizes voice settings and speaks despite wrong ones', () => {
  const tts = (input: unknown) => (done(speak({ tts: input })) as { tts?: unknown }).tts
  assert.deepEqual(tts({ provider: 'Azure', language: 'de-DE', voice: 'de-DE-KatjaNeural' }), {
    provider: 'azure',
    language: 'de-DE',
    voice: 'de-DE-KatjaNeural',
  })
  for (const provider of ['ELEVEN_LABS', 'ElevenLabs', 'eleven-labs', ' Eleven Labs '])
    assert.deepEqual(tts({ provider }), { provider: 'eleven_labs' })
  assert.deepEqual(tts({ voice: { name: 'Rachel', colour: 'red' } }), { voice: { name: 'Rachel' } })
  for (const wrong of [5, 'azure', [1], { provider: 5 }, { voice: 5 }, { voice: { id: 5 } }, { language: 'x'.repeat(21) }]) {
    const { actions: list, problems } = read(speak({ tts: wrong }))
    assert.deepEqual([list.length, problems.length], [1, 1], JSON.stringify(wrong))
    assert.match(problems[0]?.message ?? '', /^tts/)
  }
})

test('ignores barge_in and vad values out of range without a problem, field by field', () => {
  const input = { strategy: 'Immediate', minimum_characters: 0, allow_after_ms: 500 }
  assert.deepEqual(done(speak({ barge_in: input })), speak({ barge_in: { strategy: 'immediate', allow_after_ms: 500 } }))
  for (const barge_in of [{ strategy: 'loud' }, { minimum_characters: 101, allow_after_ms: -1 }, { strategy: 5, allow_after_ms: 10_001 }])
    assert.deepEqual(done(speak({ barge_in })), speak({ barge_in: {} }))
  for (const end_of_turn_silence_ms of [149, 2001, 500.5, '500', null])
    assert.deepEqual(done(speak({ vad: { end_of_turn_silence_ms } })), speak({}))
  assert.deepEqual(done(speak({ vad: { end_of_turn_silence_ms: 150 } })), speak({ vad: { end_of_turn_silence_ms: 150 } }))
  for (const odd of [null, 5, 'x', [1]]) assert.deepEqual(done(speak({ vad: odd, barge_in: odd })), speak({}))
})

test('accepts both names of a transfer target', () => {
  const transfer = { type: 'transfer', session_id: sessionId, target: '+4921155566' }
  assert.deepEqual(done(transfer), transfer)
  const old = { type: 'transfer', target_phone_number: '+4921155566', caller_id_name: 'Desk', caller_id_number: '+4921100000' }
  assert.deepEqual(done(old), { ...transfer, caller_id_name: 'Desk', caller_id_number: '+4921100000' })
  assert.equal((done({ type: 'transfer', target: 4921155566 }) as { target: string }).target, '4921155566')
  const warm = { ...transfer, mode: 'warm' }
  assert.deepEqual(done({ ...warm, briefing: 'Ms Miller' }), { ...warm, briefing: 'Ms Miller' })
  assert.deepEqual(done({ ...warm, briefing: ' ' }), warm)
  assert.deepEqual(messages({ ...transfer, briefing: 'Ms Miller' }), ['briefing is said only with mode warm'])
  for (const target of [undefined, '', ' ', {}]) assert.deepEqual(messages({ type: 'transfer', target }), ['target is required'])
})

test('speak: reads the options that the caller chooses from, and leaves out wrong ones', () => {
  const asked = speak({ expects: 'options', expects_options: ['sales', 'support'] })
  assert.deepEqual(done(asked), asked)
  for (const expects_options of [[], ['x'.repeat(61)], Array.from({ length: 51 }, () => 'x')]) {
    const { actions, problems } = read(speak({ expects: 'options', expects_options }))
    assert.deepEqual([actions.length, 'expects_options' in actions[0]!, problems.length], [1, false, 1])
  }
})

test('requires audio unless stop is true', () => {
  assert.deepEqual(messages({ type: 'audio' }), ['audio is required'])
  assert.deepEqual(messages({ type: 'audio', audio: '' }), ['audio is required'])
  const sound = { type: 'mix_audio', session_id: sessionId, audio: 'UklGR', volume: 0.3 }
  assert.deepEqual(done(sound), sound)
  assert.deepEqual(done({ type: 'mix_audio', stop: true }), { type: 'mix_audio', session_id: sessionId, stop: true })
  assert.deepEqual(messages({ type: 'mix_audio', stop: false }), ['audio is required unless stop is true'])
  assert.deepEqual(messages({ ...sound, volume: 2 }), ['volume must be a number from 0 to 1'])
  assert.equal(read({ ...sound, volume: 2 }).actions.length, 1)
})

test('configure_transcription: does not treat a wrong field as missing', () => {
  const configure = (more: object) => ({ type: 'configure_transcription', session_id: sessionId, ...more })
  const input = { provider: 'DEEPGRAM', languages: ['de-DE', 'en-US'], custom_vocabulary: ['Musterfirma'] }
  assert.deepEqual(done(configure(input)), configure({ ...input, provider: 'deepgram' }))
  assert.deepEqual(done(configure({ languages: 'de-DE' })), configure({ languages: ['de-DE'] }))
  assert.deepEqual(read(configure({})), { actions: [], problems: [] })
  const wrong = [
    { languages: [] },
    { languages: ['a', 'b', 'c', 'd', 'e'] },
    { languages: [5] },
    { languages: ['x'.repeat(21)] },
    { custom_vocabulary: Array.from({ length: 101 }, () => 'x') },
    { custom_vocabulary: ['x'.repeat(201)] },
    { provider: 5 },
  ]
  for (const one of wrong)
    assert.deepEqual([read(configure(one)).actions.length, messages(configure(one)).length], [0, 1], JSON.stringify(one))
  assert.deepEqual(read(configure({ vad: { end_of_turn_silence_ms: 9 } })), { actions: [], problems: [] })
})

test('enforces 16 actions, 10,000 characters, 64 KiB without sounds and 4 MiB in total', () => {
  const many = (count: number) => read(Array.from({ length: count }, () => speak({})))
  assert.deepEqual([many(16).actions.length, many(16).problems.length], [16, 0])
  assert.deepEqual(many(17).problems, [{ index: 16, message: 'only the first 16 of 17 actions are done' }])
  assert.equal(many(17).actions.length, 16)
  assert.equal(read(speak({ text: 'x'.repeat(10_000) })).actions.length, 1)
  assert.deepEqual(messages(speak({ text: 'x'.repeat(10_001) })), ['text has more than 10000 characters'])
  assert.deepEqual(messages({ ...speak({}), more: 'x'.repeat(70_000) }), ['the answer is larger than 65536 bytes without its sounds'])
  assert.deepEqual(messages({ ...speak({}), audio: 'x'.repeat(70_000) }), ['the answer is larger than 65536 bytes without its sounds'])
  assert.equal(read([{ type: 'audio', audio: 'x'.repeat(2_000_000) }, speak({})]).actions.length, 2)
  assert.deepEqual(messages({ type: 'audio', audio: 'x'.repeat(maxReplyBytes) }), [`the answer is larger than ${maxReplyBytes} bytes`])
})

const fieldValue = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.integer(),
  fc.string(),
  fc.constantFrom(sessionId, '<speak>x</speak>', 'Azure'),
)
const fieldNames = [...new Set(Object.values(actions).flatMap((schema) => Object.keys(schema.properties))), 'target_phone_number', 'error']
const almostAction = fc.tuple(
  fc.constantFrom(...Object.keys(actions), 'other'),
  fc.dictionary(fc.constantFrom(...fieldNames), fieldValue, { maxKeys: 8 }),
)
const almostActions = almostAction.map(([type, fields]): unknown => ({ ...fields, type }))
const anyAnswer = fc.oneof(
  fc.string(),
  fc.json(),
  almostActions.map((one) => JSON.stringify(one)),
  fc.array(almostActions).map((list) => JSON.stringify(list)),
)

test('never throws and never returns an action that violates the contract, for any reply', () => {
  let understood = 0
  fc.assert(
    fc.property(anyAnswer, (text) => {
      const answer = readText(text)
      understood += answer.actions.length
      for (const action of answer.actions) {
        assert.ok(Value.Check(actions[action.type], action), JSON.stringify(action))
        assert.equal(action.session_id, sessionId)
      }
      for (const { index, message } of answer.problems) assert.ok(Number.isInteger(index) && message.length < 300)
    }),
    { numRuns: 2_000 },
  )
  assert.ok(understood > 200, `only ${understood} actions`)
})

test('rejects bytes that are not text', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      assert.equal(readEndpointReply(Buffer.from(bytes), sessionId).actions.length, 0)
    }),
  )
  const deep = '['.repeat(500_000)
  assert.equal(readText(deep).actions.length, 0)
  assert.equal(readText(`${'['.repeat(30_000)}${']'.repeat(30_000)}`).problems.length, 1)
})

test('reads changes of variables, and rejects wrong names and values', () => {
  const variables = { first_name: 'Ada', age: 36, vip: true, gone: null }
  assert.deepEqual(done({ type: 'set_variables', variables }), { type: 'set_variables', session_id: sessionId, variables })
  for (const wrong of [undefined, [], 'x', { 'first name': 'x' }, { _proto: 'x' }, { a: {} }, { a: [1] }, { a: 'x'.repeat(8_001) }]) {
    const { actions: performed, problems } = read({ type: 'set_variables', variables: wrong })
    assert.deepEqual([performed.length, problems.length], [0, 1], JSON.stringify(wrong)?.slice(0, 40))
  }
  assert.equal(readText('{"type":"set_variables","variables":{"__proto__":"x"}}').actions.length, 0)
})

test('reads notes and results within their size limits', () => {
  assert.deepEqual(done({ type: 'note', turn: 3, name: 'tool', data: [1, { two: null }] }), {
    type: 'note',
    session_id: sessionId,
    turn: 3,
    name: 'tool',
    data: [1, { two: null }],
  })
  const deep = JSON.parse('['.repeat(50) + ']'.repeat(50)) as unknown
  assert.deepEqual(
    [{}, { name: '' }, { name: 'x'.repeat(41) }, { name: 'x', data: 'ö'.repeat(8200) }, { name: 'x', data: deep }].flatMap((more) =>
      messages({ type: 'note', ...more }),
    ),
    [
      'name is required',
      'name is required',
      'name has more than 40 characters',
      'data has more than 16384 bytes of JSON',
      'data has more than 32 levels',
    ],
  )
  const { actions: results, problems } = read({
    type: 'result',
    outcome: 'booked',
    sentiment: 'Positive',
    fields: [],
    next_steps: ['call'],
  })
  assert.deepEqual(results, [{ type: 'result', session_id: sessionId, outcome: 'booked', sentiment: 'positive', next_steps: ['call'] }])
  assert.deepEqual(
    problems.map(({ message }) => message),
    ['fields must be an object'],
  )
})

test('accepts only keys and pauses in send_dtmf', () => {
  assert.deepEqual(done({ type: 'send_dtmf', digits: '12w*#AD' }), { type: 'send_dtmf', session_id: sessionId, digits: '12w*#AD' })
  for (const digits of [undefined, '', 12, 'x', 'a', '1'.repeat(33), '1 2']) assert.equal(messages({ type: 'send_dtmf', digits }).length, 1)
  assert.deepEqual(done({ type: 'recording', paused: true }), { type: 'recording', session_id: sessionId, paused: true })
  for (const paused of [undefined, 'true', 1, null]) assert.equal(messages({ type: 'recording', paused }).length, 1)
  assert.deepEqual(done({ type: 'done', turn: 2 }), { type: 'done', session_id: sessionId, turn: 2 })
})
