import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foreignWorld, session } from './testing/foreign-world.ts'

const open = async () => {
  const world = foreignWorld({ protocol: 'retell', url: 'wss://llm.example/llm-websocket?x=1' })
  await world.notify({ type: 'session_start', turn: 0 })
  return world
}

test('connects with the call id and sends call details on request', async () => {
  const world = await open()
  assert.equal(world.line().wish.url, `wss://llm.example/llm-websocket/${session.id}?x=1`)
  assert.deepEqual(world.line().told, [])
  world.line().say({ response_type: 'config', config: { auto_reconnect: true, call_details: true } })
  const { interaction_type, call } = world.line().told[0] as unknown as { interaction_type: string; call: Record<string, string> }
  assert.deepEqual(
    [interaction_type, call.call_id, call.from_number, call.direction],
    ['call_details', session.id, '+491570000001', 'inbound'],
  )
  await world.clock.advance(4_000)
  assert.equal(world.line().told.filter(({ interaction_type: type }) => type === 'ping_pong').length, 2)
  world.line().say({ response_type: 'response', response_id: 0, content: 'Hello, who is there?', content_complete: true })
  assert.equal(world.spoken(), 'Hello, who is there?')
  await world.notify({ type: 'session_end', turn: 0, reason: 'caller_hangup' })
  assert.deepEqual([world.line().closed, world.clock.pending()], [true, 0])
})

test("requests a response to the caller's words, with the heard transcript", async () => {
  const world = await open()
  world.line().say({ response_type: 'response', response_id: 0, content: 'Hello. How are you today?', content_complete: true })
  await world.notify({ type: 'assistant_speak', turn: 0, text: 'Hello. How are you today?', heard_text: 'Hello. How', duration_ms: 500 })
  await world.notify({ type: 'user_speak', turn: 1, text: 'Fine', barged_in: true })
  assert.deepEqual(world.line().told.at(-1), {
    interaction_type: 'response_required',
    response_id: 1,
    transcript: [
      { role: 'agent', content: 'Hello. How' },
      { role: 'user', content: 'Fine' },
    ],
  })
  world.line().say({ response_type: 'response', response_id: 0, content: 'Too late.', content_complete: false })
  world.line().say({ response_type: 'response', response_id: 1, content: 'Good ', content_complete: false })
  world.line().say({ response_type: 'response', response_id: 1, content: 'bye.', content_complete: true, end_call: true })
  assert.ok(!world.spoken().includes('late'))
  assert.deepEqual(world.acted.slice(-2), [
    { type: 'hangup', turn: 1 },
    { type: 'done', turn: 1 },
  ])
  assert.ok(world.spoken().endsWith('Good bye.'))
})

test('handles reminders, transfers, keys and agent interrupts', async () => {
  const world = await open()
  await world.notify({ type: 'user_input_timeout', turn: 0 })
  assert.deepEqual([world.line().told.at(-1)?.interaction_type, world.line().told.at(-1)?.response_id], ['reminder_required', 1])
  world.line().say({
    response_type: 'agent_interrupt',
    interrupt_id: 1,
    content: 'One thing:',
    content_complete: true,
    no_interruption_allowed: true,
  })
  assert.deepEqual(world.types().slice(0, 2), ['barge_in', 'speak'])
  const [speech] = world.acted.flatMap((action) => (action.type === 'speak' ? [action] : []))
  assert.deepEqual(speech?.barge_in, { strategy: 'manual' })
  world.line().say({
    response_type: 'response',
    response_id: 1,
    content: 'Wait.',
    content_complete: true,
    digit_to_press: '1',
    transfer_number: '+4930222222',
  })
  assert.deepEqual(world.acted.slice(-3, -1), [
    { type: 'send_dtmf', digits: '1' },
    { type: 'transfer', target: '+4930222222', turn: 0 },
  ])
})

test('ends the call when the server leaves; reconnects if it asked for that', async () => {
  const leaving = await open()
  leaving.line().leave()
  assert.equal(leaving.types().at(-1), 'hangup')
  const back = await open()
  back.line().say({ response_type: 'config', config: { auto_reconnect: true } })
  back.line().leave({ message: 'restart' })
  assert.deepEqual(back.lost, [{ opened: true, left: true, message: 'restart', final: false }])
  assert.equal(back.clock.pending(), 0)
  const again = foreignWorld({ protocol: 'retell', url: 'wss://llm.example/x' })
  await again.notify({ type: 'session_resume', last_sequence: 7 })
  await again.notify({ type: 'user_speak', turn: 3, text: 'Still there?', barged_in: false })
  again.line().say({ response_type: 'response', response_id: 0, content: 'Hello again.', content_complete: true })
  again.line().say({ response_type: 'response', response_id: 8, content: 'Yes.', content_complete: true })
  assert.equal(again.spoken(), 'Yes.')
})

test('names invalid messages', async () => {
  const world = await open()
  for (const nonsense of ['{', '3', '{"type":"x"}', '{"response_type":"update_agent"}']) world.line().say(nonsense)
  assert.equal(world.problems.length, 4)
  assert.match(world.problems[3] ?? '', /update_agent/)
})
