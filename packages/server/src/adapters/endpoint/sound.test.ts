import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { FlowMedia } from '#core/kernel/ports/store/assistant.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { eventMaker, openTestEndpoints, startCustomer, testSession, until, waiting, watcher } from '#test/http/customer-endpoint.ts'
import { SoundCoder } from './websocket-channel.ts'

/** A customer that accepts sound, and a channel to it. */
const openLine = async (t: TestContext, media: FlowMedia) => {
  const texts: string[] = []
  const sounds: Buffer[] = []
  const pings: Buffer[] = []
  const customer = await startCustomer(
    t,
    (_, response) => response.end(),
    (socket) => {
      socket.on('ping', (data) => pings.push(data))
      socket.on('message', (data, isBinary) => void (isBinary ? sounds.push(data as Buffer) : texts.push((data as Buffer).toString())))
    },
  )
  const clock = new VirtualClock()
  const world = await openTestEndpoints(t, { clock })
  const flow = await world.newFlow({ websocketUrl: `ws://${customer.address}/ws`, media })
  const seen = watcher()
  const channel = world.endpoints.open(flow, { id: testSession.id, accountId: world.accountId }, seen)
  const next = eventMaker(world.accountId)
  const start = next('session_start')
  await channel.send(start, waiting)
  await until(() => texts.length === 1)
  const [socket] = customer.sockets
  return { ...world, flow, socket: socket ?? assert.fail(), texts, sounds, pings, seen, channel, next, start }
}

const tone = (samples: number, rate: number): Int16Array<ArrayBuffer> =>
  Int16Array.from({ length: samples }, (_, i) => Math.round(8000 * Math.sin((2 * Math.PI * 440 * i) / rate)))

test('exchanges sound as binary messages alongside the events', async (t) => {
  const { socket, sounds, seen, channel, close } = await openLine(t, { mode: 'audio', format: 'pcmu' })
  channel.sendSound(tone(160, 8000))
  await until(() => sounds.length === 1)
  assert.equal(sounds[0]?.length, 160)
  socket.send(sounds[0] ?? '')
  await until(() => seen.pieces.length === 1)
  const [piece] = seen.pieces
  assert.equal(piece?.rate, 8000)
  const [given, came] = [tone(160, 8000), piece?.samples ?? new Int16Array()]
  assert.ok(given.every((sample, i) => Math.abs(sample - (came[i] ?? 0)) < 400))
  await close()
})

test('drops sound sent before the endpoint could know about audio_cleared', async (t) => {
  const { socket, texts, pings, seen, channel, next, start, close } = await openLine(t, { mode: 'audio', rate: 8000 })
  const frame = Buffer.alloc(320, 1)
  socket.send(frame)
  await until(() => seen.pieces.length === 1)
  await until(() => pings.length === 1)
  const { session } = start.body
  await channel.send({ ...next('user_speak'), body: { type: 'audio_cleared', session, played_ms: 20, reason: 'barge_in' } }, waiting)
  socket.send(frame) // it crosses the event
  await until(() => texts.length === 2 && pings.length === 2)
  socket.pong(pings[1] ?? Buffer.alloc(0))
  socket.send(Buffer.alloc(640, 1))
  await until(() => seen.pieces.length === 2)
  assert.equal(seen.pieces[1]?.samples.length, 320)
  await close()
})

test('reports half a sample once; a flow without sound rejects binary messages', async (t) => {
  const { socket, seen, close } = await openLine(t, { mode: 'both' })
  for (const length of [3, 5, 4]) socket.send(Buffer.alloc(length))
  await until(() => seen.pieces.length === 1)
  assert.deepEqual(
    seen.acted.flatMap(({ problems }) => problems.map(({ message }) => message)),
    ['sound: a message of pcm16 must have whole samples of two bytes'],
  )
  await close()
})

test('every format and rate gives the same tone, for messages of any size', () => {
  const level = (samples: Int16Array): number => Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length)
  for (const [format, rate] of [
    ['pcm16', 8000],
    ['pcm16', 16_000],
    ['pcm16', 24_000],
    ['pcmu', 8000],
    ['pcma', 8000],
  ] as const) {
    const coder = new SoundCoder({ mode: 'audio', format, rate })
    const whole = tone(8000, 8000)
    const sent = Buffer.concat(Array.from({ length: 50 }, (_, i) => coder.encode(whole.slice(i * 160, i * 160 + 160))))
    const bytesPerSample = format === 'pcm16' ? 2 : 1
    assert.equal(sent.length, rate * bytesPerSample)
    const pieces: Int16Array[] = []
    for (let at = 0; at < sent.length; at += 1234) {
      const piece = coder.decode(sent.subarray(at, Math.min(sent.length, at + 1234))) ?? assert.fail()
      assert.equal(piece.rate, rate === 8000 ? 8000 : 16_000)
      pieces.push(piece.samples)
    }
    const back = Int16Array.from(pieces.flatMap((piece) => [...piece]))
    const fed = rate === 8000 ? 8000 : 16_000
    assert.ok(Math.abs(back.length - fed) < 40, `${back.length} samples at ${rate}`)
    assert.ok(Math.abs(level(back) / level(whole) - 1) < 0.02, `${format} ${rate}: ${level(back)}`)
  }
})
