import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foreignWorld, session } from './testing/foreign-world.ts'

const open = async () => {
  const world = foreignWorld({ protocol: 'media_streams', url: 'wss://streams.example/ws', secret: 'token' })
  await world.notify({ type: 'session_start' })
  return world
}

const streamSid = `MZ${session.id.replaceAll('-', '')}`

test('announces the connection and the stream, with counters as text', async () => {
  const world = await open()
  const [connected, start] = world.line().told
  assert.deepEqual(connected, { event: 'connected', protocol: 'Call', version: '1.0.0' })
  const { start: details, ...envelope } = start as unknown as { start: Record<string, unknown> }
  assert.deepEqual(envelope, { event: 'start', sequenceNumber: '1', streamSid })
  assert.deepEqual(details['mediaFormat'], { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 })
  assert.deepEqual([details['streamSid'], details['tracks']], [streamSid, ['inbound']])
  assert.equal(typeof world.line().wish.headers?.['x-twilio-signature'], 'string')
})

test('sends caller audio in numbered base64 chunks and plays those of the server', async () => {
  const world = await open()
  for (const value of [1, 2]) world.translator.takeBytes?.(Buffer.alloc(160, value))
  assert.deepEqual(
    world
      .line()
      .told.slice(2)
      .map(({ sequenceNumber, media }) => [sequenceNumber, media]),
    [1, 2].map((value) => [
      String(value + 1),
      {
        track: 'inbound',
        chunk: String(value),
        timestamp: String((value - 1) * 20),
        payload: Buffer.alloc(160, value).toString('base64'),
      },
    ]),
  )
  assert.equal(world.line().wish.keeps?.(JSON.stringify(world.line().told[2])), false, 'sound is not kept')
  world.line().say({ event: 'media', streamSid, media: { payload: Buffer.from([7, 8]).toString('base64') } })
  assert.deepEqual(world.played, [Buffer.from([7, 8])])
})

test('returns a mark when it was heard or its audio was cleared', async () => {
  const world = await open()
  for (const name of ['one', 'two', 'three']) world.line().say({ event: 'mark', streamSid, mark: { name } })
  await world.notify({ type: 'audio_played', name: 'one', played_ms: 100 })
  world.line().say({ event: 'clear', streamSid })
  assert.deepEqual(world.types(), ['audio_mark', 'audio_mark', 'audio_mark', 'audio_clear'])
  await world.notify({ type: 'audio_cleared', played_ms: 100, reason: 'audio_clear' })
  const marks = world.line().told.flatMap(({ mark }) => (mark === undefined ? [] : [(mark as { name: string }).name]))
  assert.deepEqual(marks, ['one', 'two', 'three'])
})

test('reports keys; stops the stream at the end; hangs up after its audio when the server leaves', async () => {
  const world = await open()
  await world.notify({ type: 'dtmf_received', digit: '5' })
  assert.deepEqual(world.line().told.at(-1)?.['dtmf'], { track: 'inbound_track', digit: '5' })
  await world.notify({ type: 'session_end', reason: 'caller_hangup' })
  assert.equal((world.line().told.at(-1) as unknown as { event: string }).event, 'stop')
  assert.equal(world.line().closed, true)
  const other = await open()
  other.line().leave()
  assert.deepEqual(other.acted, [{ type: 'hangup' }])
  const broken = await open()
  broken.line().leave({ left: undefined as never, message: 'reset' })
  assert.equal(broken.lost.length, 1)
})

test('reports unreadable messages as problems only', async () => {
  const world = await open()
  for (const message of ['no JSON', '1', { event: 'play' }, { event: 'media', media: {} }, { event: 'mark', mark: { name: 5 } }])
    world.line().say(message)
  assert.equal(world.problems.length, 5)
  assert.deepEqual([world.acted, world.played], [[], []])
})
