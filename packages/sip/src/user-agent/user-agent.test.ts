import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CallEnd, connect, dial } from '../testing/sip-call.ts'
import { headerOf, SipNetwork } from '../testing/sip-network.ts'
import type { Flow } from '../transport/transport.ts'
import type { IncomingInvite } from './user-agent-options.ts'

const nothingRuns = { transactions: 0, sessions: 0 }

const udp = (address: string): Flow => ({ kind: 'udp', address, port: 5060 })

test('answers and ends a call without leaks', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = [net.agent('10.0.0.1'), net.agent('10.0.0.2')]
  const { caller, callee, incoming, outgoing } = await dial(net, alice, bob)
  assert.equal(bob.invites[0]?.sdp, 'offer')
  await incoming.progress(180)
  const accepted = incoming.accept({ sdp: 'answer' })
  await net.clock.advance(10)
  assert.equal(await accepted, true)
  assert.deepEqual([outgoing.state, incoming.state], ['confirmed', 'confirmed'])
  const ending = outgoing.end({ reason: 'Q.850;cause=16' })
  await net.clock.advance(10)
  await ending
  assert.deepEqual(caller.told, ['progress 180', 'answered answer', 'ended by us'])
  assert.deepEqual(callee.told, ['ended by peer'])
  assert.equal(callee.ends[0]?.reason, 'Q.850;cause=16')
  assert.deepEqual(net.story, ['1>2 INVITE', '2>1 180 INVITE', '2>1 200 INVITE', '1>2 ACK', '1>2 BYE', '2>1 200 BYE'])
  await net.clock.advance(40_000)
  assert.deepEqual([alice.ua.load, bob.ua.load], [nothingRuns, nothingRuns])
  assert.equal(net.clock.pending(), 0)
})

test('writes our address into Via and Contact, the product into User-Agent and Server only if set', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = [net.agent('10.0.0.1', { product: 'Phone' }), net.agent('10.0.0.2')]
  const { incoming } = await dial(net, alice, bob, { uri: 'sip:bob%20b@10.0.0.2;transport=tcp', contactUser: 'line 1' })
  await incoming.progress(180)
  const [invite, ringing] = net.passed.map(({ text }) => text)
  assert.match(headerOf(invite, 'Via'), /^SIP\/2\.0\/TCP 10\.0\.0\.1:5060;rport;branch=z9hG4bK[0-9a-f]{24}$/)
  assert.equal(headerOf(invite, 'Contact'), '<sip:line%201@10.0.0.1:5060;transport=tcp>')
  assert.equal(headerOf(invite, 'User-Agent'), 'Phone')
  assert.equal(headerOf(ringing, 'Contact'), '<sip:bob%20b@10.0.0.2:5060;transport=tcp>')
  assert.equal(headerOf(ringing, 'Server'), '')
})

test('sends no retransmissions and keeps no state over a connection', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = [net.agent('10.0.0.1'), net.agent('10.0.0.2')]
  const { outgoing } = await connect(net, alice, bob, { uri: 'sip:b@10.0.0.2;transport=tcp' })
  void outgoing.end()
  await net.clock.advance(10)
  assert.deepEqual(net.story, ['1>2 BYE', '2>1 200 BYE'])
  assert.ok(net.passed.every(({ kind }) => kind === 'tcp'))
  await net.clock.advance(32_000)
  assert.deepEqual([alice.ua.load.transactions, bob.ua.load.transactions], [0, 0])
})

test('sends a request above 1300 bytes over TCP, and over UDP when the peer refuses TCP', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = [net.agent('10.0.0.1'), net.agent('10.0.0.2')]
  const large = 'v=0\r\n'.repeat(300)
  const invites = (): string[] => net.passed.filter(({ what }) => what === 'INVITE').map(({ kind, what }) => `${kind} ${what}`)
  await dial(net, alice, bob, { sdp: large })
  assert.deepEqual(invites(), ['tcp INVITE'])
  assert.match(net.passed[0]!.text, /^Via: SIP\/2\.0\/TCP /m)
  net.withoutTcp.add(bob.address)
  net.passed.length = 0
  await dial(net, alice, bob, { sdp: large })
  assert.deepEqual(invites(), ['tcp INVITE', 'udp INVITE'])
  assert.match(net.passed[1]!.text, /^Via: SIP\/2\.0\/UDP /m)
  net.passed.length = 0
  await dial(net, alice, bob, { sdp: large })
  assert.deepEqual(invites(), ['udp INVITE'], 'the refusal is remembered')
  net.passed.length = 0
  await dial(net, alice, bob, { sdp: large, flow: udp(bob.address) })
  assert.deepEqual(invites(), ['udp INVITE'], 'a flow that was chosen is kept')
})

test('tries the next address after 503, silence and a refused connection', async (t) => {
  const net = new SipNetwork(t)
  const flows: Flow[] = [udp('10.0.0.11'), { kind: 'tcp', address: '10.0.0.12', port: 5060 }, udp('10.0.0.13'), udp('10.0.0.2')]
  const alice = net.agent('10.0.0.1', { resolve: async () => flows })
  const overloaded = net.agent('10.0.0.13', { onInvite: ({ session }) => session.reject(503) })
  const bob = net.agent('10.0.0.2')
  const { caller, incoming } = await dial(net, alice, bob)
  void incoming.accept({ sdp: 'answer' })
  await net.clock.advance(50)
  assert.deepEqual(caller.told, ['answered answer'])
  assert.equal(overloaded.invites.length, 0)
  const tried = net.passed.filter(({ what }) => what === 'INVITE')
  assert.deepEqual(
    [...new Set(tried.map(({ to }) => to))],
    flows.map(({ address }) => address),
  )
  assert.equal(new Set(tried.map(({ text }) => headerOf(text, 'CSeq'))).size, 1)
  assert.equal(new Set(tried.map(({ text }) => headerOf(text, 'Via'))).size, 4)
})

test('treats a rejection other than 503 as final; reports the last 503', async (t) => {
  const net = new SipNetwork(t)
  const flows = [udp('10.0.0.2'), udp('10.0.0.3')]
  const alice = net.agent('10.0.0.1', { resolve: async () => flows })
  for (const [address, status] of [
    ['10.0.0.2', 503],
    ['10.0.0.3', 503],
  ] as const)
    net.agent(address, { onInvite: ({ session }) => session.reject(status), onRequest: (incoming) => incoming.respond(404) })
  const caller = new CallEnd()
  alice.ua.invite({ uri: 'sip:b@example.org', from: '<sip:a@10.0.0.1>', sdp: 'offer' }, caller.observer)
  const options = alice.ua.request({ method: 'OPTIONS', uri: 'sip:example.org', from: '<sip:a@10.0.0.1>' })
  await net.clock.advance(50)
  assert.equal(caller.ends[0]?.status, 503)
  assert.equal((await options).status, 404)
  assert.deepEqual([net.count('INVITE'), net.count('OPTIONS')], [2, 1])
})

test('reports a local 503 for an unresolvable address, a local 408 without a response', async (t) => {
  const net = new SipNetwork(t)
  const alice = net.agent('10.0.0.1', {
    resolve: (uri) => (uri.host === 'nowhere.example' ? Promise.reject(new Error('no such name')) : Promise.resolve([udp('10.0.0.9')])),
  })
  const unspecified = alice.ua.request({ method: 'OPTIONS', uri: 'sip:nowhere.example', from: '<sip:a@10.0.0.1>' })
  const silent = alice.ua.request({ method: 'OPTIONS', uri: 'sip:silent.example', from: '<sip:a@10.0.0.1>' })
  await net.clock.advance(33_000)
  assert.deepEqual([(await unspecified).status, (await silent).status], [503, 408])
  assert.equal((await silent).reason, 'Request Timeout')
})

test('never sends header values with line breaks', async (t) => {
  const net = new SipNetwork(t)
  const faults: unknown[] = []
  const alice = net.agent('10.0.0.1', { onFault: (error) => void faults.push(error) })
  const response = alice.ua.request({
    method: 'OPTIONS',
    uri: 'sip:b@10.0.0.2',
    from: '<sip:a@10.0.0.1>',
    headers: [['X', 'a\r\nEvil: yes']],
  })
  await net.clock.advance(10)
  assert.equal((await response).status, 503)
  assert.deepEqual([net.passed.length, faults.length], [0, 1])
})

test('sends in-dialog requests along the Record-Route of loose routers, in both directions', async (t) => {
  const net = new SipNetwork(t)
  const alice = net.agent('10.0.0.1')
  const proxy = net.raw('10.0.0.5')
  const session = alice.ua.invite({ uri: 'sip:b@far.example', from: '<sip:a@10.0.0.1>', sdp: 'offer', routes: ['<sip:10.0.0.5;lr>'] }, {})
  await net.clock.advance(10)
  const invite = proxy.received[0]
  assert.match(invite ?? '', /^INVITE sip:b@far\.example /)
  assert.equal(headerOf(invite, 'Route'), '<sip:10.0.0.5;lr>')
  const copied = ['Via', 'From', 'Call-ID', 'CSeq'].map((name) => `${name}: ${headerOf(invite, name)}\n`).join('')
  proxy.send(
    '10.0.0.1',
    `SIP/2.0 200 OK\n${copied}To: <sip:b@far.example>;tag=b\nContact: <sip:b@192.0.2.9>\nRecord-Route: <sip:far;lr>,<sip:10.0.0.5;lr>\nContent-Type: application/sdp\nContent-Length: 6\n\nanswer`,
  )
  await net.clock.advance(10)
  void session.end()
  await net.clock.advance(10)
  for (const text of proxy.received.slice(1)) {
    assert.match(text, /^(ACK|BYE) sip:b@192\.0\.2\.9 /)
    assert.deepEqual(
      [...text.matchAll(/^Route: (.*)\r$/gm)].map(([, value]) => value),
      ['<sip:10.0.0.5;lr>', '<sip:far;lr>'],
    )
  }
  assert.equal(proxy.received.length, 3)
})

test('sends in-dialog requests over the pinned flow', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = [net.agent('10.0.0.1'), net.agent('10.0.0.2')]
  const nat = net.raw('10.0.0.7')
  const { incoming } = await connect(net, alice, bob)
  incoming.pin(udp('10.0.0.7'))
  void incoming.info('text/plain', 'x')
  await net.clock.advance(10)
  assert.match(nat.received[0] ?? '', /^INFO sip:alice@10\.0\.0\.1:5060 /)
})

test('reaches a browser only over its own connection', async (t) => {
  const net = new SipNetwork(t)
  const bob = net.agent('10.0.0.2')
  const browser: string[] = []
  net.attach('10.0.0.1', (bytes) => void browser.push(Buffer.from(bytes).toString()))
  const send = (text: string): void =>
    bob.ua.receive(Buffer.from(text.replaceAll('\n', '\r\n')), { kind: 'wss', address: '10.0.0.1', port: 40_000, connection: 9 })
  const head = 'From: <sip:a@x.invalid>;tag=a\nCall-ID: ws\n'
  send(
    `INVITE sip:b@10.0.0.2 SIP/2.0\nVia: SIP/2.0/WSS x.invalid;branch=z9hG4bK1\n${head}To: <sip:b@10.0.0.2>\nCSeq: 1 INVITE\nContact: <sip:a@x.invalid;transport=ws>\nContent-Length: 0\n\n`,
  )
  const { session } = bob.invites[0]!
  const accepted = session.accept({ sdp: 'offer' })
  await net.clock.advance(5)
  const body = 'answer'
  send(
    `ACK sip:b@10.0.0.2 SIP/2.0\nVia: SIP/2.0/WSS x.invalid;branch=z9hG4bK2\n${head}To: <sip:b@10.0.0.2>;tag=${session.localTag}\nCSeq: 1 ACK\nContent-Type: application/sdp\nContent-Length: 6\n\n${body}`,
  )
  assert.equal(await accepted, true)
  void session.end()
  await net.clock.advance(5)
  assert.equal(net.passed.at(-1)?.to, '10.0.0.1')
  assert.equal(net.passed.at(-1)?.kind, 'wss')
  assert.match(browser.at(-1) ?? '', /^BYE sip:a@x\.invalid;transport=ws /)
  assert.equal(headerOf(browser.at(-1), 'Via').startsWith('SIP/2.0/WSS '), true)
})

test('fails pending requests of a closed connection; sessions continue by address', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = [net.agent('10.0.0.1'), net.agent('10.0.0.2')]
  const flow: Flow = { kind: 'tcp', address: bob.address, port: 5060, connection: 7 }
  const { outgoing } = await connect(net, alice, bob, { flow })
  net.drops = ({ what }) => what === '200 INFO'
  const info = outgoing.info('text/plain', 'x')
  await net.clock.advance(10)
  alice.ua.connectionClosed(7)
  await net.clock.advance(10)
  assert.equal(await info, 503)
  const again = outgoing.info('text/plain', 'y')
  net.drops = () => false
  await net.clock.advance(10)
  assert.equal(await again, 200)
})

test('close sends BYE, CANCEL and 503 and leaves no session', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob, carol] = [net.agent('10.0.0.1'), net.agent('10.0.0.2'), net.agent('10.0.0.3')]
  await connect(net, alice, bob)
  const ringing = await dial(net, alice, bob)
  await ringing.incoming.progress(180)
  const waiting = await dial(net, carol, alice)
  await net.clock.advance(10)
  net.passed.length = 0
  const closed = alice.ua.close()
  await net.clock.advance(100)
  await closed
  assert.deepEqual([net.count('BYE', alice.address), net.count('CANCEL', alice.address), net.count('503 INVITE', alice.address)], [1, 1, 1])
  assert.equal(waiting.caller.ends[0]?.status, 503)
  assert.deepEqual(alice.ua.load, { transactions: 0, sessions: 0 })
  net.passed.length = 0
  carol.ua.invite({ uri: 'sip:x@10.0.0.1', from: '<sip:c@10.0.0.3>' }, {})
  await net.clock.advance(40_000)
  assert.equal(net.passed.filter(({ from }) => from === alice.address).length, 0)
})

test('aborts close; pending requests fail', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = [net.agent('10.0.0.1'), net.agent('10.0.0.2')]
  const { caller } = await connect(net, alice, bob)
  net.detach(bob.address)
  const options = alice.ua.request({ method: 'OPTIONS', uri: bob.uri, from: '<sip:a@10.0.0.1>' })
  await net.clock.advance(10)
  const abort = new AbortController()
  const closed = alice.ua.close(abort.signal)
  await net.clock.advance(1_000)
  abort.abort()
  await closed
  assert.equal((await options).status, 503)
  assert.deepEqual(caller.told, ['ended by us'])
  assert.deepEqual(alice.ua.load, { transactions: 0, sessions: 0 })
  await bob.ua.close(AbortSignal.abort())
  await net.clock.advance(10)
  assert.equal(net.clock.pending(), 0)
})

test('completes 300 calls over a bad network: 10 % lost, 5 % duplicated, reordered', async (t) => {
  const net = new SipNetwork(t, { loss: 0.1, duplication: 0.05, delay: [1, 60] }, 20_261_115)
  const rings = (invite: IncomingInvite): void => {
    invite.session.observe({ offered: (sdp) => ({ sdp: `re ${sdp}` }) })
    void invite.session.progress(180, { reliable: net.random() < 0.5 })
    net.clock.after(200 + net.random() * 500, () => void invite.session.accept({ sdp: 'answer' }))
  }
  const [alice, bob] = [net.agent('10.0.0.1'), net.agent('10.0.0.2', { onInvite: rings })]
  const outcomes: string[] = []
  const call = async (): Promise<void> => {
    const answered = Promise.withResolvers<string>()
    const session = alice.ua.invite(
      { uri: bob.uri, from: '<sip:alice@10.0.0.1>', sdp: 'offer' },
      { answered: (sdp) => answered.resolve(`answered ${sdp}`), ended: (end) => answered.resolve(`ended ${end.status}`) },
    )
    const outcome = await answered.promise
    const change = await session.offer('hold')
    await session.end()
    outcomes.push(`${outcome} ${change.status} ${change.sdp}`)
  }
  const calls: Promise<void>[] = []
  for (let number = 0; number < 300; number++) {
    calls.push(call())
    await net.clock.advance(50)
  }
  await net.clock.advance(60_000)
  await Promise.all(calls)
  assert.deepEqual([...new Set(outcomes)], ['answered answer 200 re hold'])
  assert.equal(outcomes.length, 300)
  await net.clock.advance(70_000)
  assert.deepEqual([alice.ua.load, bob.ua.load], [nothingRuns, nothingRuns])
  assert.equal(net.clock.pending(), 0)
})
