import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { test, type TestContext } from 'node:test'
import { WebSocketServer, type WebSocket } from 'ws'
import { outboundSockets } from '#adapters/outbound-sockets.ts'
import type { SocketEnd } from '#core/kernel/ports/outbound.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { withGateways } from './gateway-sockets.ts'

const session = { id: 's1', account_id: '1234567', phone_number: '4930111111' }

interface Frame {
  type: string
  session_id: string
  name?: string
  data?: { direction?: string; body?: string; problem?: string }
}

const listen = async (t: TestContext) => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  t.after(() => server.close())
  await once(server, 'listening')
  return { server, port: (server.address() as AddressInfo).port }
}

/** A session's connection to a ConversationRelay server. */
const connect = (t: TestContext, port: number) => {
  const clock = new VirtualClock()
  const real = outboundSockets({ allow: [`127.0.0.1:${port}`] })
  const sockets = withGateways(real, { clock, outbound: { request: () => assert.fail('nothing is requested') } })
  t.after(async () => {
    await sockets.close()
    await real.close()
    assert.equal(clock.pending(), 0)
  })
  const frames: Frame[] = []
  const pongs: string[] = []
  const changes: (() => void)[] = []
  const changed = (): void => changes.splice(0).forEach((go) => go())
  const ended = Promise.withResolvers<SocketEnd>()
  const opened = Promise.withResolvers<void>()
  const gateway = { protocol: 'conversation_relay', language: 'en-US', transferTargets: [] } as const
  const url = `ws://127.0.0.1:${port}/relay`
  const socket = sockets.connect(
    { url, headers: { 'x-api-key': 'k', 'user-agent': 'x' }, handshakeMs: 3_000, maxBytes: 10_000, gateway },
    {
      opened: opened.resolve,
      said(text) {
        frames.push(JSON.parse(text.toString()) as Frame)
        changed()
      },
      saidBytes: () => assert.fail('no sound'),
      pong(data) {
        pongs.push(data)
        changed()
      },
      closed: ended.resolve,
    },
  )
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise<void>((go) => changes.push(go))
  }
  return { socket, clock, frames, pongs, opened: opened.promise, ended: ended.promise, until }
}

const frame = (event: object): string => JSON.stringify({ session, ...event })

test('a session talks to a third-party server like an endpoint, with the bytes in its timeline', async (t) => {
  const { server, port } = await listen(t)
  const { socket, clock, frames, pongs, opened, ended, until } = connect(t, port)
  await opened
  const arriving = once(server, 'connection')
  socket.send(frame({ type: 'session_start', sequence: 1, turn: 0 }))
  socket.ping('1')
  const [client, request] = (await arriving) as [WebSocket, IncomingMessage]
  assert.deepEqual([request.headers['x-api-key'], request.url], ['k', '/relay'])
  await until(() => pongs.length === 1)
  client.send(JSON.stringify({ type: 'text', token: 'Hello.', last: true }))
  await until(() => frames.filter(({ type }) => type === 'done').length === 2)
  await clock.advance(500)
  const notes = frames.filter(({ type }) => type === 'note')
  assert.deepEqual(
    notes.map(({ name, data }) => [name, data?.direction, /"type":"(\w+)"/.exec(data?.body ?? '')?.[1]]),
    [
      ['gateway', 'sent', 'setup'],
      ['gateway', 'received', 'text'],
    ],
  )
  assert.ok(frames.every(({ session_id }) => session_id === 's1'))
  const left = once(client, 'close')
  socket.send(frame({ type: 'session_end', sequence: 2, turn: 0, reason: 'caller_hangup' }))
  socket.ping('2')
  await until(() => pongs.length === 2)
  assert.equal((await ended).left, true, 'nobody waits for more')
  await left
})

test('confirms no event before the server was reached', async (t) => {
  const { server, port } = await listen(t)
  await new Promise((closed) => server.close(closed))
  const { socket, pongs, opened, ended } = connect(t, port)
  await opened
  socket.send(frame({ type: 'session_resume', last_sequence: 0 }))
  socket.ping('0')
  socket.send(frame({ type: 'session_start', sequence: 1, turn: 0 }))
  socket.ping('1')
  const { opened: wasOpen, refused, message } = await ended
  assert.deepEqual([wasOpen, refused, pongs], [true, undefined, []])
  assert.match(message, /ECONNREFUSED/)
})

test('rejects an unknown protocol for good', async (t) => {
  const sockets = withGateways(
    { connect: () => assert.fail('nobody is reached'), close: async () => {} },
    { clock: new VirtualClock(), outbound: { request: () => assert.fail('nothing is requested') } },
  )
  t.after(() => sockets.close())
  const ignored = (): void => {}
  const end = await new Promise<SocketEnd>((closed) =>
    sockets.connect(
      {
        url: 'wss://x.example',
        headers: {},
        handshakeMs: 1,
        maxBytes: 1,
        gateway: { protocol: 'klingon' as never, language: 'en-US', transferTargets: [] },
      },
      { opened: ignored, said: ignored, saidBytes: ignored, pong: ignored, closed },
    ),
  )
  assert.equal(end.refused, true)
  assert.match(end.message, /klingon/)
})

test('combines frequent messages into one entry, and cuts a long one', async (t) => {
  const { server, port } = await listen(t)
  const { socket, clock, frames, opened, until } = connect(t, port)
  await opened
  const arriving = once(server, 'connection')
  socket.send(frame({ type: 'session_start', sequence: 1, turn: 0 }))
  const [client] = (await arriving) as [WebSocket]
  await until(() => frames.some(({ type }) => type === 'done'))
  for (const token of ['x '.repeat(4_000), 'y']) client.send(JSON.stringify({ type: 'text', token, last: token === 'y' }))
  await until(() => frames.filter(({ type }) => type === 'done').length === 2)
  await clock.advance(500)
  await setImmediate()
  const received = frames.flatMap(({ data }) => (data?.direction === 'received' ? [data] : []))
  assert.deepEqual(
    received.map(({ body }) => body?.length),
    [7_000, JSON.stringify({ type: 'text', token: 'y', last: true }).length],
  )
  socket.close()
})
