import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { Problem } from '@offhook/contract/problem.ts'
import { WebSocket } from 'ws'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { RateLimit } from '../limits/rate-limit.ts'
import { Upgrades, type UpgradeRoute } from './upgrades.ts'

const echo: UpgradeRoute = {
  path: '/rooms/{roomId}/talk',
  maxBytes: 100,
  async enter({ params, query, ip, accept }) {
    if (query.get('key') !== 'open') throw new Problem('invalid_token')
    const client = await accept()
    client.on('message', (data, binary) => client.send(data, { binary }))
    client.send(`${params.roomId} ${ip}`)
  },
}

const open = async (t: TestContext, { trustProxy = false, rateLimit = 0, route = echo } = {}) => {
  const clock = new VirtualClock()
  const upgrades = new Upgrades({ clock, rateLimit: new RateLimit(clock, rateLimit), trustProxy, log: () => {} })
  upgrades.add(route)
  const server = createServer({ shouldUpgradeCallback: (request) => upgrades.wants(request) }, (_request, reply) => reply.end('plain'))
  upgrades.serve(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(async () => {
    await upgrades.close()
    server.closeAllConnections()
    server.close()
  })
  return { clock, upgrades, base: `127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const enter = (t: TestContext, url: string, options = {}): WebSocket => {
  const client = new WebSocket(url, options)
  t.after(() => client.terminate())
  return client
}

const refusal = async (client: WebSocket): Promise<{ status: number | undefined; body: string }> => {
  client.on('error', () => {})
  const [, response] = (await once(client, 'unexpected-response')) as [unknown, IncomingMessage]
  return { status: response.statusCode, body: String((await response.toArray())[0]) }
}

test('finds a route by its path and passes its parameters', async (t) => {
  const { base } = await open(t, { trustProxy: true })
  const client = enter(t, `ws://${base}/rooms/a%20b/talk?key=open`, { headers: { 'x-forwarded-for': '198.51.100.1, 192.0.2.7' } })
  const [hello] = (await once(client, 'message')) as [Buffer]
  assert.equal(String(hello), 'a b 192.0.2.7')
  client.send(Buffer.from([1, 2]))
  const [bytes, binary] = (await once(client, 'message')) as [Buffer, boolean]
  assert.deepEqual([[...bytes], binary], [[1, 2], true])
})

test('sends a rejected client the reason in the usual error format', async (t) => {
  const { base } = await open(t)
  const { status, body } = await refusal(enter(t, `ws://${base}/rooms/1/talk?key=wrong`))
  assert.equal(status, 401)
  assert.equal(JSON.parse(body).code, 'invalid_token')
  assert.equal((await refusal(enter(t, `ws://${base}/rooms/%ff/talk?key=open`))).status, 400)
})

test('treats unknown paths and other upgrades as ordinary requests', async (t) => {
  const { base } = await open(t)
  const elsewhere = await refusal(enter(t, `ws://${base}/elsewhere`))
  assert.deepEqual(elsewhere, { status: 200, body: 'plain' })
  const asked = httpRequest(`http://${base}/rooms/1/talk`, { headers: { connection: 'upgrade', upgrade: 'h2c' } }).end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  assert.equal(String((await response.toArray())[0]), 'plain')
})

test('survives an invalid handshake, a client that leaves, and an internal error', async (t) => {
  const entered = Promise.withResolvers<void>()
  const outcome = Promise.withResolvers<unknown>()
  const waiting = Promise.withResolvers<void>()
  const route: UpgradeRoute = {
    path: '/slow',
    async enter({ query, accept }) {
      if (query.has('fault')) throw new TypeError('a secret')
      entered.resolve()
      if (query.has('leave')) await waiting.promise
      await accept().then(outcome.resolve, outcome.resolve)
    },
  }
  const { base } = await open(t, { route })
  const { status, body } = await refusal(enter(t, `ws://${base}/slow?fault`))
  assert.equal(status, 500)
  assert.doesNotMatch(body, /secret/)
  const [, port = ''] = base.split(':')
  const socket = connect(Number(port), '127.0.0.1')
  socket.write('GET /slow?leave HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n')
  await entered.promise
  waiting.resolve()
  const [answer] = (await once(socket, 'data')) as [Buffer]
  assert.match(String(answer), /^HTTP\/1\.1 4\d\d/)
  assert.ok((await outcome.promise) instanceof Problem)
})

test('rate-limits upgrades per address', async (t) => {
  const { base } = await open(t, { rateLimit: 0.1 })
  const first = enter(t, `ws://${base}/rooms/1/talk?key=open`)
  await once(first, 'message')
  assert.equal((await refusal(enter(t, `ws://${base}/rooms/1/talk?key=open`))).status, 429)
})

test('closes on an oversized message, after three missed pongs, and at shutdown', async (t) => {
  const { base, clock, upgrades } = await open(t)
  const url = `ws://${base}/rooms/1/talk?key=open`
  const loud = enter(t, url)
  await once(loud, 'message')
  loud.send(Buffer.alloc(101))
  assert.equal(((await once(loud, 'close')) as [number])[0], 1009)
  const dead = enter(t, url, { autoPong: false })
  const alive = enter(t, url)
  await Promise.all([once(dead, 'message'), once(alive, 'message')])
  const gone = once(dead, 'close')
  for (let round = 0; round < 3; round++) {
    const pinged = once(alive, 'ping')
    await clock.advance(20_000)
    await pinged
    await new Promise(setImmediate)
  }
  await gone
  assert.equal(alive.readyState, WebSocket.OPEN)
  const notified = once(alive, 'close')
  await upgrades.close()
  assert.equal(((await notified) as [number])[0], 1001)
  assert.equal(clock.pending(), 0)
})
