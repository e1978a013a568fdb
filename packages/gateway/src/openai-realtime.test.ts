import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foreignWorld } from './testing/foreign-world.ts'

const base64 = (ms: number): string => Buffer.alloc(ms * 8, 1).toString('base64')

const open = async (url = 'wss://models.example/v1/realtime?model=m', transferTargets: string[] = []) => {
  const world = foreignWorld({ protocol: 'openai_realtime', url, apiKey: 'sk-1', transferTargets })
  await world.notify({ type: 'session_start', media: { mode: 'audio', format: 'pcmu', rate: 8000 } })
  const says = (item_id: string, ms: number): void =>
    world.line().say({ type: 'response.output_audio.delta', item_id, content_index: 0, delta: base64(ms) })
  return { ...world, says }
}

test("sets up the session with the key, telephone audio, the address's settings and the allowed tools", async () => {
  const world = await open('wss://models.example/v1/realtime?model=m&voice=marin&instructions=Be+kind', ['+4930*', 'p0'])
  const { wish: input, told: notified } = world.line()
  assert.equal(input.url, 'wss://models.example/v1/realtime?model=m')
  assert.deepEqual(input.headers, { authorization: 'Bearer sk-1' })
  const { session } = notified[0] as unknown as { session: Record<string, unknown> & { tools: { name: string }[] } }
  assert.deepEqual(session['audio'], {
    input: { format: { type: 'audio/pcmu' }, turn_detection: { type: 'server_vad' } },
    output: { format: { type: 'audio/pcmu' }, voice: 'marin' },
  })
  assert.equal(session['instructions'], 'Be kind')
  assert.deepEqual(
    session.tools.map(({ name }) => name),
    ['hang_up', 'transfer_call'],
  )
  world.line().say({ type: 'session.updated' })
  assert.deepEqual(world.line().told.at(-1), { type: 'response.create' })
})

test("passes audio in both directions; truncates the model's items at the heard position", async () => {
  const world = await open()
  world.translator.takeBytes?.(Buffer.alloc(160, 1))
  assert.deepEqual(world.line().told.at(-1), { type: 'input_audio_buffer.append', audio: base64(20) })
  world.says('one', 1000)
  world.says('two', 500)
  world.says('two', 500)
  assert.equal(Buffer.concat(world.played).length, 2000 * 8)
  world.line().say({ type: 'input_audio_buffer.speech_started' })
  world.says('two', 500)
  assert.equal(Buffer.concat(world.played).length, 2000 * 8, 'what was cut off is not heard')
  await world.notify({ type: 'audio_cleared', played_ms: 1300, reason: 'audio_clear' })
  const truncate = { type: 'conversation.item.truncate', item_id: 'two', content_index: 0, audio_end_ms: 300 }
  assert.deepEqual(world.line().told.at(-1), truncate)
  world.says('three', 400)
  await world.notify({ type: 'audio_cleared', played_ms: 1450, reason: 'barge_in' })
  assert.deepEqual(world.line().told.at(-1), { ...truncate, item_id: 'three', audio_end_ms: 150 })
})

test('runs functions after all speech; reports a failed transfer to the model', async () => {
  const world = await open(undefined, ['+4930*'])
  const calls = (name: string, given: object): void =>
    world.line().say({ type: 'response.function_call_arguments.done', call_id: 'c1', name, arguments: JSON.stringify(given) })
  calls('transfer_call', { target: '+4930123' })
  assert.deepEqual(world.acted, [])
  world.line().say({ type: 'response.done' })
  assert.deepEqual(world.acted, [{ type: 'transfer', target: '+4930123' }])
  await world.notify({ type: 'transfer_failed', target: '+4930123', cause: 'busy' })
  const [output, create] = world.line().told.slice(-2)
  assert.match(JSON.stringify(output), /function_call_output.*c1.*busy/)
  assert.equal(create?.type, 'response.create')
  calls('fly', {})
  calls('hang_up', {})
  world.line().say({ type: 'response.done' })
  assert.deepEqual(world.acted.at(-1), { type: 'hangup' })
})

test('passes keys and typed text on as text; reports errors as problems and a lost model as lost', async () => {
  const world = await open()
  await world.notify({ type: 'dtmf_received', digit: '7' })
  assert.match(JSON.stringify(world.line().told.at(-2)), /pressed the key 7/)
  await world.notify({ type: 'user_speak', text: 'Hello', barged_in: false })
  assert.match(JSON.stringify(world.line().told.at(-2)), /Hello/)
  world.line().say({ type: 'error', error: { message: 'no credit' } })
  world.line().say('nonsense')
  assert.deepEqual(world.problems, ['The model reports an error: no credit', 'The message is not JSON with a type.'])
  world.line().leave()
  assert.equal(world.lost.length, 1)
})
