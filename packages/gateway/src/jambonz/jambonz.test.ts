import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { GatewayFailure } from '../gateway.ts'
import { foreignWorld, session } from '../testing/foreign-world.ts'

type Told = Record<string, unknown> & { type: string; msgid: string; hook?: string; data: Record<string, unknown> }

/** An application that answers the start of the call with these verbs. */
const callOf = async (...verbs: object[]) => {
  const world = foreignWorld({ protocol: 'jambonz', url: 'wss://app.example/hello' })
  const began = world.notify({ type: 'session_start', turn: 0 })
  while (world.lines.length === 0 || world.line().told.length === 0) await setImmediate()
  const notifications = () => world.line().told as Told[]
  const ack = async (data?: unknown) => {
    const { msgid } = notifications().findLast(({ type }) => type !== 'call:status') ?? assert.fail('nothing was asked')
    world.line().say({ type: 'ack', msgid, ...(data !== undefined && { data }) })
    for (let turns = 0; turns < 10; turns++) await setImmediate()
  }
  await ack(verbs)
  await began
  const stream = () => world.acted.flatMap((action) => (action.type === 'speak' && action.last ? [action.stream_id] : [])).at(-1)
  const heard = () => world.notify({ type: 'assistant_speech_ended', completed: true, heard_ms: 900, stream_id: stream() })
  const last = () => notifications().findLast(({ type }) => type === 'verb:hook') ?? assert.fail('no hook')
  return { ...world, onEvent: notifications, ack, heard, last }
}

test('announces a call to the application and runs its verbs', async () => {
  const call = await callOf(
    { verb: 'tag', data: { foo: 'bar' } },
    { verb: 'pause', length: 1.5 },
    { verb: 'say', text: '<speak>Hi</speak>', synthesizer: { language: 'en-GB' } },
    { verb: 'play', url: 'https://x.example/a.wav' },
    { verb: 'dtmf', dtmf: '12' },
    { verb: 'hangup' },
  )
  assert.equal(call.line().wish.subprotocol, 'ws.jambonz.org')
  const [first] = call.onEvent()
  assert.deepEqual(
    [first?.type, first?.call_sid, first?.data.from, first?.data.direction],
    ['session:new', session.id, '+491570000001', 'inbound'],
  )
  assert.deepEqual(call.acted, [{ type: 'note', name: 'tag', data: { foo: 'bar' } }, { type: 'done' }])
  await call.clock.advance(1_500)
  const barge_in = { strategy: 'none' }
  assert.deepEqual(call.acted.at(-1), {
    type: 'speak',
    stream_id: 's1',
    last: true,
    ssml: '<speak>Hi</speak>',
    tts: { language: 'en-GB' },
    barge_in,
  })
  await call.heard()
  await call.heard()
  assert.deepEqual(call.acted.slice(-2), [{ type: 'send_dtmf', digits: '12' }, { type: 'hangup' }])
  assert.equal(call.clock.pending(), 0)
})

test('sends gathered input to the hook and runs its answer', async () => {
  const gather = {
    verb: 'gather',
    input: ['speech', 'digits'],
    actionHook: '/got',
    timeout: 10,
    bargein: true,
    say: { text: 'Who are you?' },
    recognizer: { language: 'de-DE', hints: ['Ada'] },
  }
  const call = await callOf(gather, { verb: 'redirect', actionHook: '/again' })
  assert.deepEqual(call.acted[0], { type: 'configure_transcription', languages: ['de-DE'], custom_vocabulary: ['Ada'] })
  await call.notify({ type: 'user_speak', turn: 1, text: 'Ada', barged_in: true, confidence: 0.7 })
  const { hook, data } = call.last()
  assert.deepEqual(
    [hook, data.reason, data.speech],
    ['/got', 'speechDetected', { channel_tag: 1, is_final: true, alternatives: [{ transcript: 'Ada', confidence: 0.7 }] }],
  )
  await call.ack([{ verb: 'say', text: 'Hello Ada' }])
  assert.ok(call.spoken().endsWith('Hello Ada'))
  await call.heard()
  assert.equal(call.onEvent().filter(({ type }) => type === 'verb:hook').length, 1, 'the verbs before are gone')
  assert.ok(!call.types().includes('hangup'), 'it waits for commands')
})

test('gathers digits; reports a timeout on silence', async () => {
  const call = await callOf({ verb: 'gather', input: ['digits'], numDigits: 2, actionHook: '/pin', say: { text: 'Your pin?' } })
  await call.notify({ type: 'dtmf_received', turn: 0, digit: '4' })
  await call.notify({ type: 'dtmf_received', turn: 0, digit: '2' })
  assert.deepEqual([call.last().data.reason, call.last().data.digits], ['dtmfDetected', '42'])
  await call.ack([
    { verb: 'gather', input: ['speech'], timeout: 3, actionHook: '/none' },
    { verb: 'say', text: 'Next' },
  ])
  await call.clock.advance(3_000)
  assert.deepEqual([call.last().hook, call.last().data.reason], ['/none', 'timeout'])
  await call.ack()
  assert.ok(call.spoken().endsWith('Next'), 'an empty answer means: go on')
})

test('commands replace the current verbs or queue behind them', async () => {
  const call = await callOf({ verb: 'say', text: 'A long story' }, { verb: 'pause', length: 60 })
  call.line().say({ type: 'command', command: 'redirect', queueCommand: true, data: [{ verb: 'say', text: 'Later' }] })
  call.line().say({ type: 'command', command: 'redirect', data: [{ verb: 'say', text: 'Goodbye' }, { verb: 'hangup' }] })
  await call.clock.advance(0)
  assert.deepEqual(call.types(), ['speak', 'done', 'barge_in', 'speak'])
  await call.heard()
  assert.equal(call.types().at(-1), 'hangup')
  assert.ok(!call.spoken().includes('Later'))
  call.line().say({ type: 'command', command: 'redirect', queueCommand: true, data: { verb: 'say', text: 'One more' } })
  await call.clock.advance(0)
  assert.ok(call.spoken().endsWith('One more'))
  assert.equal(call.clock.pending(), 0)
})

test("reports background barge-in to the application's hook", async () => {
  const call = await callOf(
    {
      verb: 'config',
      bargeIn: { enable: true, input: ['speech'], actionHook: '/barge' },
      recognizer: { language: 'en-GB' },
      synthesizer: { language: 'fr-FR' },
    },
    { verb: 'say', text: 'Bonjour' },
  )
  assert.deepEqual(call.acted.slice(0, 2), [
    { type: 'configure_transcription', languages: ['en-GB'] },
    { type: 'speak', stream_id: 's1', last: true, text: 'Bonjour', tts: { language: 'fr-FR' } },
  ])
  await call.notify({ type: 'user_speak', turn: 1, text: 'Stop', barged_in: true })
  assert.equal(call.last().hook, '/barge')
})

test('joins tokens into one speech and reports an interruption', async () => {
  const call = await callOf()
  call.line().say({ type: 'command', command: 'tts:tokens', data: { id: 1, tokens: 'Once upon ' } })
  call.line().say({ type: 'command', command: 'tts:tokens', data: { id: 2, tokens: 'a time.' } })
  call.line().say({ type: 'command', command: 'tts:flush' })
  assert.equal(call.spoken(), 'Once upon a time.')
  assert.deepEqual(
    call
      .onEvent()
      .slice(-2)
      .map(({ type, data }) => [type, data]),
    [
      ['tts:tokens-result', { id: 1, status: 'ok' }],
      ['tts:tokens-result', { id: 2, status: 'ok' }],
    ],
  )
  await call.notify({ type: 'assistant_speak', turn: 0, text: 'Once upon a time.', heard_text: 'Once', duration_ms: 10 })
  assert.deepEqual(call.onEvent().at(-1)?.data, { event_type: 'user_interruption' })
})

test('reports a failed transfer to its hook', async () => {
  const call = await callOf({
    verb: 'dial',
    actionHook: '/dialled',
    target: [
      { type: 'sip', sipUri: 'sip:x@y' },
      { type: 'phone', number: '+4930222222' },
    ],
  })
  assert.deepEqual(call.acted[0], { type: 'transfer', target: '+4930222222' })
  await call.notify({ type: 'transfer_failed', turn: 0, target: '+4930222222', cause: 'busy' })
  assert.deepEqual([call.last().hook, call.last().data.dial_call_status], ['/dialled', 'busy'])
})

test('names unknown verbs and commands', async () => {
  const call = await callOf({ verb: 'conference', name: 'x' }, { verb: 'dial', target: [{ type: 'teams' }] }, { verb: 'constructor' }, {})
  call.line().say({ type: 'command', command: 'whisper' })
  call.line().say('nonsense')
  assert.equal(call.problems.length, 6)
  assert.match(call.problems[0] ?? '', /conference/)
})

test('reopens a broken connection with session:reconnect', async () => {
  const call = await callOf()
  call.line().leave({ left: undefined, message: 'broken' } as never)
  assert.deepEqual(call.lost, [{ opened: true, left: undefined, message: 'broken' }])
  const again = foreignWorld({ protocol: 'jambonz', url: 'wss://app.example/hello' })
  await again.notify({ type: 'session_resume', last_sequence: 4 })
  const taken = again.notify({ type: 'dtmf_received', turn: 2, digit: '1' })
  while (again.lines.length === 0 || again.line().told.length === 0) await setImmediate()
  assert.equal(again.line().told[0]?.type, 'session:reconnect')
  const failing = assert.rejects(taken, GatewayFailure)
  await again.clock.advance(5_000)
  await failing
})

test('reports the end to the application; hangs up when the application leaves', async () => {
  const call = await callOf({ verb: 'pause', length: 60 })
  await call.notify({ type: 'session_end', turn: 0, reason: 'caller_hangup' })
  assert.deepEqual([call.onEvent().at(-1)?.data.call_status, call.line().closed, call.clock.pending()], ['completed', true, 0])
  const left = await callOf()
  left.line().leave()
  assert.equal(left.types().at(-1), 'hangup')
})
