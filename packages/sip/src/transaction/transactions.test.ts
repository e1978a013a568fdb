import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { buildRequest, respond } from '../message/build.ts'
import type { Request, Response } from '../message/message.ts'
import { parseMessage } from '../message/parse.ts'
import type { Flow, TransportKind } from '../transport/transport.ts'
import { Transactions } from './transactions.ts'

const branch = 'z9hG4bKtest'

const request = (method: string, changes: Record<string, string> = {}, uri = 'sip:bob@10.0.0.2'): Request => {
  const headers: Record<string, string> = {
    Via: `SIP/2.0/UDP 10.0.0.1:5060;branch=${branch}`,
    From: '<sip:alice@10.0.0.1>;tag=a',
    To: '<sip:bob@10.0.0.2>',
    'Call-ID': 'c1',
    CSeq: `1 ${method}`,
    ...changes,
  }
  return parseMessage(buildRequest(method, uri, Object.entries(headers))) as Request
}

const response = (status: number, method: string, toTag = 'b'): Response =>
  parseMessage(respond(request(method), status, { toTag })) as Response

const flowOf = (kind: TransportKind): Flow => ({ kind, address: '10.0.0.2', port: 5060, ...(kind === 'udp' ? {} : { connection: 3 }) })

/** A network that records what is sent and when. */
const setUp = () => {
  const clock = new VirtualClock(0)
  const sent: { at: number; text: string }[] = []
  const failures: ((error: Error) => void)[] = []
  const transport = {
    send: (bytes: Uint8Array, _to: Flow, failed: (error: Error) => void) => {
      sent.push({ at: clock.now(), text: Buffer.from(bytes).toString() })
      failures.push(failed)
    },
    localAddress: () => ({ host: '10.0.0.1', port: 5060 }),
  }
  const transactions = new Transactions({ clock, transport })
  const notified: string[] = []
  const events = {
    response: (message: Response) => void notified.push(String(message.status)),
    failed: (status: number) => void notified.push(`failed ${status} at ${clock.now()}`),
    terminated: () => void notified.push(`terminated at ${clock.now()}`),
  }
  const times = (): number[] => sent.map(({ at }) => at)
  return { clock, sent, failures, transactions, told: notified, events, times }
}

const startInvite = (world: ReturnType<typeof setUp>, kind: TransportKind = 'udp') =>
  world.transactions.startInvite(branch, { bytes: Buffer.from('INVITE'), flow: flowOf(kind) }, () => Buffer.from('ACK'), world.events)

const startBye = (world: ReturnType<typeof setUp>, kind: TransportKind = 'udp') =>
  world.transactions.startRequest(branch, 'BYE', { bytes: Buffer.from('BYE'), flow: flowOf(kind) }, world.events)

test('INVITE client: retransmits after T1, 2·T1, 4·T1 … until timer B (64·T1)', async () => {
  const world = setUp()
  startInvite(world)
  await world.clock.advance(40_000)
  assert.deepEqual(world.times(), [0, 500, 1_500, 3_500, 7_500, 15_500, 31_500])
  assert.deepEqual(world.told, ['failed 408 at 32000', 'terminated at 32000'])
  assert.equal(world.transactions.size, 0)
  assert.equal(world.clock.pending(), 0)
})

test('INVITE client: sends once over a connection, with the same timer B', async () => {
  const world = setUp()
  startInvite(world, 'tcp')
  await world.clock.advance(40_000)
  assert.deepEqual(world.times(), [0])
  assert.deepEqual(world.told, ['failed 408 at 32000', 'terminated at 32000'])
})

test('INVITE client: stops retransmitting and waiting after a provisional response', async () => {
  const world = setUp()
  startInvite(world)
  world.transactions.receiveResponse(response(180, 'INVITE'), flowOf('udp'))
  await world.clock.advance(100_000)
  assert.deepEqual(world.times(), [0])
  assert.deepEqual(world.told, ['180'])
  assert.equal(world.clock.pending(), 0)
})

test('INVITE client: acknowledges each failure for 32 s (timer D), not over a connection', async () => {
  for (const [kind, until] of [
    ['udp', 32_000],
    ['tls', 0],
  ] as const) {
    const world = setUp()
    startInvite(world, kind)
    world.transactions.receiveResponse(response(486, 'INVITE'), flowOf(kind))
    world.transactions.receiveResponse(response(486, 'INVITE'), flowOf(kind))
    assert.deepEqual(
      world.sent.map(({ text }) => text),
      kind === 'udp' ? ['INVITE', 'ACK', 'ACK'] : ['INVITE', 'ACK'],
    )
    await world.clock.advance(60_000)
    assert.deepEqual(world.told, ['486', `terminated at ${until}`])
  }
})

test('INVITE client: passes on every 2xx for 64·T1 (RFC 6026 timer M), also from other branches', async () => {
  const world = setUp()
  startInvite(world)
  for (const tag of ['b', 'b', 'other']) world.transactions.receiveResponse(response(200, 'INVITE', tag), flowOf('udp'))
  world.transactions.receiveResponse(response(486, 'INVITE'), flowOf('udp'))
  await world.clock.advance(60_000)
  assert.deepEqual(world.told, ['200', '200', '200', 'terminated at 32000'])
})

test('INVITE client: reports 503 for a send failure', () => {
  const world = setUp()
  startInvite(world)
  world.failures[0]?.(new Error('refused'))
  assert.deepEqual(world.told, ['failed 503 at 0', 'terminated at 0'])
})

test('request client: retransmits at most every T2 (timer E) until timer F', async () => {
  const world = setUp()
  startBye(world)
  await world.clock.advance(40_000)
  assert.deepEqual(world.times(), [0, 500, 1_500, 3_500, 7_500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500])
  assert.deepEqual(world.told, ['failed 408 at 32000', 'terminated at 32000'])
  assert.equal(world.clock.pending(), 0)
})

test('request client: retransmits every T2 after a provisional response', async () => {
  const world = setUp()
  startBye(world)
  await world.clock.advance(600)
  world.transactions.receiveResponse(response(100, 'BYE'), flowOf('udp'))
  await world.clock.advance(9_000)
  assert.deepEqual(world.times(), [0, 500, 4_600, 8_600])
})

test('request client: absorbs repeated responses for T4 (timer K), not over a connection', async () => {
  for (const [kind, until] of [
    ['udp', 5_000],
    ['tcp', 0],
  ] as const) {
    const world = setUp()
    startBye(world, kind)
    world.transactions.receiveResponse(response(200, 'BYE'), flowOf(kind))
    world.transactions.receiveResponse(response(200, 'BYE'), flowOf(kind))
    await world.clock.advance(40_000)
    assert.deepEqual(world.told, ['200', `terminated at ${until}`])
  }
})

test('matches a response by branch and method', () => {
  const world = setUp()
  startInvite(world)
  world.transactions.startRequest(branch, 'CANCEL', { bytes: Buffer.from('CANCEL'), flow: flowOf('udp') }, world.events)
  world.transactions.receiveResponse(response(200, 'CANCEL'), flowOf('udp'))
  world.transactions.receiveResponse(response(200, 'BYE'), flowOf('udp'))
  assert.deepEqual(world.told, ['200'])
})

test('fails the requests of a closed connection', () => {
  const world = setUp()
  startBye(world, 'tcp')
  world.transactions.connectionClosed(4)
  assert.deepEqual(world.told, [])
  world.transactions.connectionClosed(3)
  assert.deepEqual(world.told, ['failed 503 at 0', 'terminated at 0'])
})

const openInvite = (world: ReturnType<typeof setUp>, kind: TransportKind = 'udp') =>
  world.transactions.openInvite(request('INVITE'), flowOf(kind), () => Buffer.from('100'))

test('INVITE server: sends 100 after 200 ms without another response, and again for each INVITE', async () => {
  const world = setUp()
  const server = openInvite(world)
  server.receive(request('INVITE'), flowOf('udp'))
  await world.clock.advance(300)
  server.receive(request('INVITE'), flowOf('udp'))
  assert.deepEqual(world.sent, [
    { at: 200, text: '100' },
    { at: 300, text: '100' },
  ])
  server.respond(180, Buffer.from('180'))
  server.receive(request('INVITE'), flowOf('udp'))
  assert.deepEqual(
    world.sent.slice(2).map(({ text }) => text),
    ['180', '180'],
  )
})

test('INVITE server: repeats a failure (timer G, capped at T2) until timer H', async () => {
  const world = setUp()
  openInvite(world).respond(486, Buffer.from('486'))
  await world.clock.advance(40_000)
  assert.deepEqual(world.times(), [0, 500, 1_500, 3_500, 7_500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500])
  assert.equal(world.transactions.size, 0)
  assert.equal(world.clock.pending(), 0)
})

test('INVITE server: ends T4 after the ACK (timer I), immediately over a connection', async () => {
  for (const [kind, left] of [
    ['udp', 1],
    ['tcp', 0],
  ] as const) {
    const world = setUp()
    const server = openInvite(world, kind)
    server.respond(486, Buffer.from('486'))
    assert.equal(server.receive(request('ACK', { To: '<sip:bob@10.0.0.2>;tag=b' }), flowOf(kind)), false)
    assert.equal(world.transactions.size, left)
    await world.clock.advance(4_999)
    assert.equal(world.transactions.size, left)
    await world.clock.advance(1)
    assert.equal(world.transactions.size, 0)
    assert.deepEqual(world.times(), [0])
  }
})

test('INVITE server: absorbs INVITEs for 64·T1 after 2xx (timer L) and may repeat the same 2xx', async () => {
  const world = setUp()
  const server = openInvite(world)
  server.respond(200, Buffer.from('200'))
  server.receive(request('INVITE'), flowOf('udp'))
  assert.equal(world.sent.length, 1)
  server.respond(200, Buffer.from('200'))
  server.respond(486, Buffer.from('486'))
  assert.deepEqual(
    world.sent.map(({ text }) => text),
    ['200', '200'],
  )
  assert.equal(server.receive(request('ACK'), flowOf('udp')), true)
  await world.clock.advance(31_999)
  assert.equal(world.transactions.size, 1)
  await world.clock.advance(1)
  assert.equal(world.transactions.size, 0)
})

test('request server: repeats the last response for 64·T1 (timer J), not kept over a connection', async () => {
  const world = setUp()
  const server = world.transactions.openRequest(request('BYE'), flowOf('udp'))
  server.receive(request('BYE'), flowOf('udp'))
  assert.equal(world.sent.length, 0)
  server.respond(100, Buffer.from('100'))
  server.receive(request('BYE'), flowOf('udp'))
  assert.deepEqual(
    world.sent.splice(0).map(({ text }) => text),
    ['100', '100'],
  )
  server.respond(200, Buffer.from('200'))
  server.respond(404, Buffer.from('404'))
  server.receive(request('BYE'), flowOf('udp'))
  assert.deepEqual(
    world.sent.map(({ text }) => text),
    ['200', '200'],
  )
  await world.clock.advance(32_000)
  assert.equal(world.transactions.size, 0)
  const connected = world.transactions.openRequest(request('BYE'), flowOf('tcp'))
  connected.respond(200, Buffer.from('200'))
  assert.equal(world.transactions.size, 0)
  assert.equal(world.clock.pending(), 0)
})

test('request server: drops an unanswered request when the client has given up', async () => {
  const world = setUp()
  const server = world.transactions.openRequest(request('BYE'), flowOf('udp'))
  server.expireUnanswered()
  await world.clock.advance(32_000)
  assert.equal(world.transactions.size, 0)
  server.respond(200, Buffer.from('200'))
  assert.equal(world.sent.length, 0)
})

test('matches requests by branch, sent-by and method (RFC 3261 §17.2.3)', () => {
  const world = setUp()
  const server = openInvite(world)
  assert.equal(world.transactions.serverOf(request('INVITE')), server)
  assert.equal(world.transactions.serverOf(request('ACK')), server)
  assert.equal(world.transactions.inviteOf(request('CANCEL')), server)
  assert.equal(world.transactions.serverOf(request('BYE')), undefined)
  for (const via of ['10.0.0.1:5061;branch=z9hG4bKtest', '10.0.0.9:5060;branch=z9hG4bKtest', '10.0.0.1:5060;branch=z9hG4bKother'])
    assert.equal(world.transactions.serverOf(request('INVITE', { Via: `SIP/2.0/UDP ${via}` })), undefined, via)
})

test('matches requests without the cookie by their fields (RFC 2543)', () => {
  for (const via of ['SIP/2.0/UDP 10.0.0.1', 'SIP/2.0/UDP 10.0.0.1;branch=z9hG4bK', 'SIP/2.0/UDP 10.0.0.1;branch=1']) {
    const world = setUp()
    const server = world.transactions.openInvite(request('INVITE', { Via: via }), flowOf('udp'), () => Buffer.from('100'))
    assert.equal(world.transactions.serverOf(request('INVITE', { Via: via })), server)
    assert.equal(world.transactions.serverOf(request('ACK', { Via: via, To: '<sip:bob@10.0.0.2>;tag=b' })), server)
    assert.equal(world.transactions.inviteOf(request('CANCEL', { Via: via })), server)
    for (const other of [{ 'Call-ID': 'c2' }, { CSeq: '2 INVITE' }, { From: '<sip:alice@10.0.0.1>;tag=z' }])
      assert.equal(world.transactions.serverOf(request('INVITE', { Via: via, ...other })), undefined)
    assert.equal(world.transactions.serverOf(request('INVITE', { Via: via }, 'sip:else@10.0.0.2')), undefined)
  }
})

test('detects a merged request while the first is active', () => {
  const world = setUp()
  const server = openInvite(world)
  const otherWay = { Via: 'SIP/2.0/UDP 10.0.0.1:5060;branch=z9hG4bKfork' }
  assert.equal(world.transactions.isMerged(request('INVITE', otherWay)), true)
  assert.equal(world.transactions.isMerged(request('INVITE', { ...otherWay, To: '<sip:bob@10.0.0.2>;tag=b' })), false)
  assert.equal(world.transactions.isMerged(request('INVITE', { ...otherWay, CSeq: '2 INVITE' })), false)
  server.terminate()
  assert.equal(world.transactions.isMerged(request('INVITE', otherWay)), false)
})

test('close fails client transactions and leaves no timer', () => {
  const world = setUp()
  startInvite(world)
  openInvite(world)
  world.transactions.openRequest(request('BYE'), flowOf('udp')).respond(200, Buffer.from('200'))
  world.transactions.close()
  assert.deepEqual(world.told, ['failed 503 at 0', 'terminated at 0'])
  assert.equal(world.transactions.size, 0)
  assert.equal(world.clock.pending(), 0)
})
