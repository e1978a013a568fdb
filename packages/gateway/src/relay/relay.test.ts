import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { GatewayFailure } from '../gateway.ts'
import { foreignWorld, session } from '../testing/foreign-world.ts'

const url = 'wss://relay.example/ws'
const open = async () => {
  const world = foreignWorld({ protocol: 'conversation_relay', url, secret: 'token' })
  await world.notify({ type: 'session_start', turn: 0 })
  return world
}

test('sends the setup message with a signature over the address', async () => {
  const world = await open()
  const { wish: input, told: notified } = world.line()
  assert.deepEqual(input, { url, headers: { 'x-twilio-signature': createHmac('sha1', 'token').update(url).digest('base64') } })
  const { type, callSid, from, to, direction, customParameters } = notified[0] as Record<string, unknown>
  assert.deepEqual(
    { type, callSid, from, to, direction, customParameters },
    {
      type: 'setup',
      callSid: `CA${session.id.replaceAll('-', '')}`,
      from: '+491570000001',
      to: '+4930111111',
      direction: 'inbound',
      customParameters: {},
    },
  )
  assert.deepEqual(world.types(), ['done'])
})

test('turns speech into a prompt and tokens into one speech of that turn', async () => {
  const world = await open()
  await world.notify({ type: 'user_speak', turn: 1, text: 'When are you open?', barged_in: false, language: 'en-GB' })
  assert.deepEqual(world.line().told.at(-1), { type: 'prompt', voicePrompt: 'When are you open?', lang: 'en-GB', last: true })
  for (const token of ['From ', 'nine ', 'to five.']) world.line().say({ type: 'text', token, last: false })
  world.line().say({ type: 'text', token: '', last: true })
  const speaks = world.acted.flatMap((action) => (action.type === 'speak' ? [action] : []))
  assert.equal(world.spoken(), 'From nine to five.')
  assert.deepEqual(new Set(speaks.map(({ turn, stream_id }) => `${turn} ${stream_id}`)), new Set(['1 g1']))
  assert.equal(speaks.at(-1)?.last, true)
  assert.deepEqual(world.acted.at(-1), { type: 'done', turn: 1 })
})

test('reports an interruption immediately, with the heard text, once', async () => {
  const world = await open()
  await world.notify({ type: 'user_speak', turn: 1, text: 'Menu?', barged_in: false })
  world.line().say({ type: 'text', token: 'Tonight we have a soup of roasted carrots, ', last: false })
  await world.notify({ type: 'assistant_speak', turn: 1, text: 'Tonight …', heard_text: 'Tonight we have', duration_ms: 900.4 })
  const interrupt = { type: 'interrupt', utteranceUntilInterrupt: 'Tonight we have', durationUntilInterruptMs: 900 }
  assert.deepEqual(world.line().told.at(-1), interrupt)
  const before = world.spoken()
  world.line().say({ type: 'text', token: 'and bread.', last: false })
  assert.equal(world.spoken(), before, 'nobody wants to hear the rest')
  await world.notify({ type: 'user_speak', turn: 2, text: 'Stop', barged_in: true, heard_text: 'Tonight we have', heard_ms: 900 })
  assert.deepEqual(
    world
      .line()
      .told.slice(-2)
      .map(({ type }) => type),
    ['interrupt', 'prompt'],
  )
  world.line().say({ type: 'text', token: 'All right.', last: true })
  assert.deepEqual(
    world.acted.filter(({ type, turn }) => type === 'speak' && turn === 2).map((action) => 'text' in action && action.text),
    ['All right.', ''],
  )
})

test('reports an earlier unreported interruption with the next words', async () => {
  const world = await open()
  world.line().say({ type: 'text', token: 'Hello there.', last: true })
  await world.notify({ type: 'user_speak', turn: 1, text: 'Hi', barged_in: true, heard_text: 'Hello', heard_ms: 400 })
  assert.deepEqual(
    world.line().told.map(({ type }) => type),
    ['setup', 'interrupt', 'prompt'],
  )
})

test('sends partial transcripts as prompts with last false', async () => {
  const world = await open()
  await world.notify({ type: 'user_speak_partial', turn: 0, text: 'When are', stable_chars: 4 })
  assert.deepEqual(world.line().told.at(-1), { type: 'prompt', voicePrompt: 'When are', lang: 'en-US', last: false })
})

test('reports keys and interrupts speech that allows it', async () => {
  const world = await open()
  await world.notify({ type: 'dtmf_received', turn: 0, digit: '5' })
  assert.deepEqual(world.line().told.at(-1), { type: 'dtmf', digit: '5' })
  assert.equal(world.types().at(-1), 'barge_in')
  world.line().say({ type: 'text', token: 'No way.', last: true, interruptible: 'none' })
  await world.notify({ type: 'dtmf_received', turn: 0, digit: '6' })
  assert.equal(world.types().filter((type) => type === 'barge_in').length, 1)
  const [speech] = world.acted.flatMap((action) => (action.type === 'speak' ? [action] : []))
  assert.deepEqual(speech?.barge_in, { strategy: 'none' })
})

test('plays audio, sends keys and switches languages', async () => {
  const world = await open()
  world.line().say({ type: 'play', source: 'https://x.example/a.wav?b=1&c=2', loop: 2 })
  world.line().say({ type: 'sendDigits', digits: '12W#' })
  world.line().say({ type: 'language', ttsLanguage: 'es-ES', transcriptionLanguage: 'es-MX' })
  world.line().say({ type: 'text', token: 'Hola.', last: true })
  world.line().say({ type: 'text', token: 'Hallo.', last: true, lang: 'de-DE' })
  const audio = '<audio src="https://x.example/a.wav?b=1&amp;c=2"/>'
  assert.deepEqual(
    world.acted.filter(({ type }) => type !== 'done'),
    [
      { type: 'speak', turn: 0, ssml: `<speak>${audio}${audio}</speak>` },
      { type: 'send_dtmf', digits: '12ww#' },
      { type: 'configure_transcription', languages: ['es-MX'] },
      { type: 'speak', turn: 0, stream_id: 'g1', text: 'Hola.', last: false, tts: { language: 'es-ES' } },
      { type: 'speak', turn: 0, stream_id: 'g1', text: '', last: true },
      { type: 'speak', turn: 0, stream_id: 'g2', text: 'Hallo.', last: false, tts: { language: 'de-DE' } },
      { type: 'speak', turn: 0, stream_id: 'g2', text: '', last: true },
    ],
  )
})

test('replaces preemptible speech without reporting an interruption', async () => {
  const world = await open()
  world.line().say({ type: 'text', token: 'One moment.', last: true, preemptible: true })
  world.line().say({ type: 'text', token: 'Here it is.', last: true })
  assert.deepEqual(world.types(), ['done', 'speak', 'speak', 'done', 'barge_in', 'speak', 'speak', 'done'])
  await world.notify({ type: 'assistant_speak', turn: 0, text: 'One moment.', heard_text: 'One', duration_ms: 100 })
  assert.equal(world.line().told.length, 1)
})

test('ends the call when the server sends end or leaves', async () => {
  const ended = await open()
  ended.line().say({ type: 'text', token: 'Bye.', last: true })
  ended.line().say({ type: 'end', handoffData: '{"reason":"done"}' })
  ended.line().say({ type: 'text', token: 'Not any more.', last: true })
  assert.deepEqual([ended.types().at(-1), ended.line().closed], ['hangup', true])
  await ended.notify({ type: 'user_speak', turn: 1, text: 'wait', barged_in: true })
  assert.deepEqual(ended.acted.at(-1), { type: 'hangup', now: true })
  const left = await open()
  left.line().leave()
  assert.equal(left.types().at(-1), 'hangup')
})

test('reports a broken connection as lost without reopening it', async () => {
  const world = await open()
  world.line().leave({ left: undefined, message: 'broken' } as never)
  assert.deepEqual(world.lost, [{ opened: true, left: undefined, message: 'broken', final: true }])
  const again = foreignWorld({ protocol: 'conversation_relay', url })
  await assert.rejects(again.notify({ type: 'session_resume', last_sequence: 3 }), GatewayFailure)
})

test('retries an unreachable server', async () => {
  const end = { opened: false, status: 502, message: 'The endpoint answered 502' }
  const world = foreignWorld({ protocol: 'conversation_relay', url }, { refuse: () => end })
  await assert.rejects(world.notify({ type: 'session_start', turn: 0 }), (error) => error instanceof GatewayFailure && error.end === end)
})

test('reports invalid messages to both sides and ignores them', async () => {
  const world = await open()
  for (const nonsense of ['{', '[]', 'null', '{"type":3}', '{"type":"dance"}', '{"type":"play"}', '{"type":"sendDigits","digits":"xyz"}'])
    world.line().say(nonsense)
  assert.equal(world.problems.length, 7)
  assert.ok(world.problems.some((problem) => problem.includes('dance')))
  assert.equal(world.line().told.filter(({ type }) => type === 'error').length, 7)
  assert.deepEqual(world.types(), ['done'])
  await world.notify({ type: 'session_end', turn: 0, reason: 'caller_hangup' })
  assert.equal(world.line().closed, true)
})
