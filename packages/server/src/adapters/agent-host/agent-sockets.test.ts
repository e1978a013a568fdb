import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { WebSocketServer, type WebSocket } from 'ws'
import type { OutboundSockets, SocketEnd } from '#core/kernel/ports/outbound.ts'
import { assistantAddress } from '#core/kernel/webhook/web-address.ts'
import type { AssistantChoice } from '#core/kernel/ports/store/session.ts'
import { outboundSockets } from '#adapters/outbound-sockets.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { withAgent, type AgentSocketsDeps } from './agent-sockets.ts'

const address = (choice: AssistantChoice): string => assistantAddress({ accountId: '1234567', flowId: 'f1', choice })
const others = { connect: () => assert.fail('not to a customer'), close: async () => {} } as unknown as OutboundSockets

const socketsTo = (allowed: string): OutboundSockets => outboundSockets({ allow: [allowed] })

const open = (t: TestContext, reach: AgentSocketsDeps['agent']['reach']) => {
  const clock = new VirtualClock()
  const notified: unknown[] = []
  const sockets = withAgent(others, { agent: { reach }, clock, socketsTo, announce: (whose) => notified.push(whose) })
  t.after(() => sockets.close())
  const connect = (choice: AssistantChoice) => {
    const ended = Promise.withResolvers<SocketEnd>()
    const opened = Promise.withResolvers<void>()
    const ignored = (): void => {}
    const observer = { opened: opened.resolve, said: ignored, saidBytes: ignored, pong: ignored, closed: ended.resolve }
    const input = { url: address(choice), headers: { 'user-agent': 'x' }, handshakeMs: 3_000, maxBytes: 1_000 }
    return { socket: sockets.connect(input, observer), opened: opened.promise, ended: ended.promise }
  }
  return { clock, told: notified, connect }
}

test('connects a session to the assistant of its version, with the key of this start', async (t) => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const { connect, told: notified, clock } = open(t, async () => ({ port, key: 'k' }))
  const arriving = once(server, 'connection')
  const { socket, opened, ended } = connect(7)
  const [client, request] = (await arriving) as [WebSocket, { url: string; headers: Record<string, string> }]
  assert.deepEqual([request.url, request.headers['x-api-key'], request.headers['user-agent']], ['/f1/7', 'k', 'x'])
  await opened
  const said = once(client, 'message')
  socket.send('hello')
  assert.equal(String((await said)[0]), 'hello')
  assert.deepEqual(notified, [{ accountId: '1234567', flowId: 'f1', choice: 7 }])
  socket.close()
  await ended
  assert.equal(clock.pending(), 0)
})

test('fails without a version and gives the reason', async (t) => {
  const { connect } = open(t, () => assert.fail('not asked'))
  const { opened: _, ended } = connect('none')
  assert.deepEqual(await ended, { opened: false, refused: true, message: 'No version of the assistant has been published' })
})

test('retries an agent that is unreachable or starts too slowly', async (t) => {
  const { connect } = open(t, () => Promise.reject(new Error('switched off')))
  assert.deepEqual(await connect(1).ended, { opened: false, message: 'switched off' })
  const slow = open(t, () => new Promise(() => {}))
  const { ended } = slow.connect(1)
  await slow.clock.advance(3_000)
  assert.deepEqual(await ended, { opened: false, message: 'The assistant is still being started' })
  const given = slow.connect('draft')
  given.socket.destroy()
  assert.equal((await given.ended).opened, false)
})
