import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect, dial } from '../testing/sip-call.ts'
import { headerOf, SipNetwork } from '../testing/sip-network.ts'
import { DigestClient } from '../digest/digest-client.ts'
import type { Session, SessionTrace } from './session.ts'

/** Round trip through a database. */
const kept = (session: Session): SessionTrace => JSON.parse(JSON.stringify(session.trace ?? assert.fail('nothing to keep'))) as SessionTrace

const pair = (net: SipNetwork) => [net.agent('10.0.0.1'), net.agent('10.0.0.2')] as const

test('another process ends an outgoing and an incoming call', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { caller, callee, incoming, outgoing } = await connect(net, alice, bob)
  const [traceOfAlice, traceOfBob] = [kept(outgoing), kept(incoming)]
  const ended = net.agent('10.0.0.1').ua.endLost(traceOfAlice, { headers: [['Reason', 'Q.850;cause=41']] })
  await net.clock.advance(50)
  assert.equal(await ended, 200)
  assert.deepEqual(callee.told, ['ended by peer'])
  assert.equal(callee.ends[0]?.reason, 'Q.850;cause=41')
  net.attach('10.0.0.1', (bytes, from) => alice.ua.receive(bytes, from))
  const other = net.agent('10.0.0.2').ua.endLost(traceOfBob)
  await net.clock.advance(50)
  assert.equal(await other, 200)
  assert.deepEqual(
    caller.told.filter((what) => what.startsWith('ended')),
    ['ended by peer'],
  )
})

test('ends a session after changes made since the trace was saved', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { callee, outgoing } = await connect(net, alice, bob)
  const trace = kept(outgoing)
  for (let nth = 0; nth < 20; nth++) {
    const change = outgoing.offer(`change ${nth}`)
    await net.clock.advance(50)
    await change
  }
  const ended = net.agent('10.0.0.1').ua.endLost(trace)
  await net.clock.advance(50)
  assert.equal(await ended, 200)
  assert.equal(callee.told.at(-1), 'ended by peer')
})

test('has a trace only while there is a dialog to end', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { incoming, outgoing } = await dial(net, alice, bob)
  assert.equal(outgoing.trace, undefined)
  assert.equal(kept(incoming).remote, incoming.trace?.remote, 'the trace of an incoming call is there before the answer')
  void incoming.accept({ sdp: 'answer' })
  await net.clock.advance(50)
  assert.ok(outgoing.trace)
  void outgoing.end()
  await net.clock.advance(50)
  assert.deepEqual([outgoing.trace, incoming.trace], [undefined, undefined])
})

test('reports a new Contact and sends the BYE there', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { caller, outgoing } = await connect(net, alice, bob)
  const moves: string[] = []
  outgoing.observe({ ...caller.observer, moved: () => moves.push(kept(outgoing).target) })
  const raw = net.raw('10.0.0.9')
  const { local, remote, callId } = kept(outgoing)
  const head = `Via: SIP/2.0/UDP 10.0.0.9:5060;branch=z9hG4bKmove\nFrom: ${remote}\nTo: ${local}\nCall-ID: ${callId}\nCSeq: 99999 UPDATE\n`
  raw.send('10.0.0.1', `UPDATE ${alice.uri} SIP/2.0\n${head}Contact: <sip:bob@10.0.0.9>\nContent-Length: 0\n\n`)
  await net.clock.advance(50)
  assert.deepEqual(moves, ['sip:bob@10.0.0.9'])
  void net.agent('10.0.0.1').ua.endLost(kept(outgoing))
  await net.clock.advance(50)
  assert.match(raw.received.at(-1) ?? '', /^BYE sip:bob@10\.0\.0\.9 SIP/)
})

test('sends the BYE through loose and strict proxies, or over the saved flow only', async (t) => {
  const net = new SipNetwork(t)
  const us = net.agent('10.0.0.1')
  const [proxy, phone] = [net.raw('10.0.0.3'), net.raw('10.0.0.4')]
  const base = {
    callId: 'c',
    local: '<sip:us@a.example>;tag=1',
    remote: '<sip:them@b.example>;tag=2',
    target: 'sip:them@10.9.9.9',
    cseq: 7,
  }
  void us.ua.endLost({ ...base, routes: ['<sip:10.0.0.3;lr>', '<sip:p2.example;lr>'] })
  void us.ua.endLost({ ...base, routes: ['<sip:10.0.0.3>'] })
  void us.ua.endLost({ ...base, routes: [], flow: { kind: 'udp', address: '10.0.0.4', port: 5060 } })
  await net.clock.advance(10)
  const [loose, strict] = proxy.received
  assert.match(loose ?? '', /^BYE sip:them@10\.9\.9\.9 SIP/)
  assert.equal(headerOf(loose, 'Route'), '<sip:10.0.0.3;lr>')
  assert.match(strict ?? '', /^BYE sip:10\.0\.0\.3 SIP/)
  assert.equal(headerOf(strict, 'Route'), '<sip:them@10.9.9.9>')
  assert.equal(headerOf(phone.received[0], 'CSeq'), '1008 BYE')
  assert.equal(headerOf(phone.received[0], 'From'), base.local)
  assert.equal(headerOf(phone.received[0], 'To'), base.remote)
})

test('answers a challenge only at the address of the INVITE', async (t) => {
  const net = new SipNetwork(t)
  const us = net.agent('10.0.0.1')
  const trunk = net.raw('10.0.0.2')
  const base = {
    callId: 'c',
    local: '<sip:us@a.example>;tag=1',
    remote: '<sip:them@b.example>;tag=2',
    target: 'sip:10.0.0.2',
    cseq: 1,
    routes: [],
  }
  const digest = () => new DigestClient({ username: 'alice', password: 'a long secret', realm: 'trunk' })
  const answer = (text: string, status: string, more = ''): void => {
    const lines = ['Via', 'From', 'To', 'Call-ID', 'CSeq'].map((name) => `${name}: ${headerOf(text, name)}`).join('\n')
    trunk.send('10.0.0.1', `SIP/2.0 ${status}\n${lines}\n${more}Content-Length: 0\n\n`)
  }
  const challenge = 'Proxy-Authenticate: Digest realm="trunk", nonce="n", algorithm=MD5\n'
  const ended = us.ua.endLost({ ...base, trusted: '10.0.0.2' }, { digest: digest() })
  await net.clock.advance(10)
  answer(trunk.received[0] ?? '', '407 Who', challenge)
  await net.clock.advance(10)
  assert.match(headerOf(trunk.received[1], 'Proxy-Authorization'), /username="alice"/)
  assert.equal(headerOf(trunk.received[1], 'CSeq'), '1003 BYE')
  answer(trunk.received[1] ?? '', '200 OK')
  await net.clock.advance(10)
  assert.equal(await ended, 200)
  const elsewhere = us.ua.endLost({ ...base, trusted: '10.0.0.7' }, { digest: digest() })
  await net.clock.advance(10)
  answer(trunk.received[2] ?? '', '407 Who', challenge)
  await net.clock.advance(10)
  assert.equal(await elsewhere, 407)
})

test('repeats an unanswered BYE for 32 seconds and leaves no timer', async (t) => {
  const net = new SipNetwork(t)
  const us = net.agent('10.0.0.1')
  const base = { callId: 'c', local: '<sip:us@a.example>;tag=1', remote: '<sip:them@b.example>;tag=2', routes: [], cseq: 1 }
  const silent = us.ua.endLost({ ...base, target: 'sip:10.0.0.8' })
  const refused = us.ua.endLost({ ...base, target: 'sip:10.0.0.8;transport=tcp' })
  await net.clock.advance(40_000)
  assert.deepEqual([await silent, await refused], [408, 503])
  assert.ok(net.count('BYE') > 5)
  assert.equal(us.ua.load.transactions, 0)
  await assert.rejects(us.ua.endLost({ ...base, target: 'nonsense' }))
})
