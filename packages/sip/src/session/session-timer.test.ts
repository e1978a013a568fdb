import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CallEnd, connect, dial } from '../testing/sip-call.ts'
import { headerOf, SipNetwork } from '../testing/sip-network.ts'
import type { UserAgentOptions } from '../user-agent/user-agent-options.ts'

const timer = (expires: number, min = 90): Partial<UserAgentOptions> => ({ sessionTimer: { expires, min } })

const find = (net: SipNetwork, what: string): string => net.passed.find((message) => message.what === what)?.text ?? ''

test('refreshes at half time by UPDATE, as the caller', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = [net.agent('10.0.0.1', timer(600)), net.agent('10.0.0.2', timer(1_800))]
  const { incoming } = await dial(net, alice, bob)
  void incoming.accept({ sdp: 'answer' })
  await net.clock.advance(100)
  assert.equal(headerOf(find(net, 'INVITE'), 'Session-Expires'), '600')
  assert.equal(headerOf(find(net, '200 INVITE'), 'Session-Expires'), '600;refresher=uac')
  assert.equal(headerOf(find(net, '200 INVITE'), 'Require'), 'timer')
  await net.clock.advance(299_000)
  assert.equal(net.count('UPDATE'), 0)
  await net.clock.advance(3_600_000)
  assert.equal(net.count('UPDATE', alice.address), 12)
  assert.equal(headerOf(find(net, 'UPDATE'), 'Session-Expires'), '600;refresher=uac')
  assert.equal(headerOf(find(net, 'UPDATE'), 'Content-Length'), '0')
  assert.equal(incoming.state, 'confirmed')
})

/** A peer that requests a session timer and does not support UPDATE. */
const rawCaller = async (net: SipNetwork, sessionExpires: string, supported = 'timer') => {
  const bob = net.agent('10.0.0.2')
  const peer = net.raw('10.0.0.1')
  const head = (branch: string, tag: string, cseq: string): string =>
    `Via: SIP/2.0/UDP 10.0.0.1;branch=z9hG4bK${branch}\nFrom: <sip:a@10.0.0.1>;tag=a\nTo: <sip:b@10.0.0.2>${tag}\nCall-ID: raw\nCSeq: ${cseq}\n`
  peer.send(
    '10.0.0.2',
    `INVITE sip:b@10.0.0.2 SIP/2.0\n${head('1', '', '1 INVITE')}Contact: <sip:a@10.0.0.1>\nSupported: ${supported}\nSession-Expires: ${sessionExpires}\n` +
      'Content-Type: application/sdp\nContent-Length: 5\n\noffer',
  )
  await net.clock.advance(10)
  const session = bob.invites[0]?.session
  const callee = new CallEnd()
  session?.observe(callee.observer)
  void session?.accept({ sdp: 'our answer' })
  await net.clock.advance(10)
  peer.send('10.0.0.2', `ACK sip:b@10.0.0.2 SIP/2.0\n${head('2', `;tag=${session?.localTag}`, '1 ACK')}Content-Length: 0\n\n`)
  await net.clock.advance(10)
  /** Answers its last received request. */
  const answer = (status: number, more = ''): void => {
    const request = peer.received.at(-1)
    const copied = ['Via', 'From', 'To', 'Call-ID', 'CSeq'].map((name) => `${name}: ${headerOf(request, name)}\n`).join('')
    peer.send('10.0.0.2', `SIP/2.0 ${status} Whatever\n${copied}Contact: <sip:a@10.0.0.1>\n${more}`)
  }
  return { bob, peer, session: session!, callee, answer }
}

test('refreshes on request as the callee, by re-INVITE with its last SDP without UPDATE support', async (t) => {
  const net = new SipNetwork(t)
  const { peer, callee, session, answer } = await rawCaller(net, '120;refresher=uas')
  assert.equal(headerOf(peer.received[0], 'Session-Expires'), '120;refresher=uas')
  assert.equal(headerOf(peer.received[0], 'Require'), '')
  await net.clock.advance(60_000)
  const refresh = peer.received.at(-1)!
  assert.match(refresh, /^INVITE sip:a@10\.0\.0\.1 [^]*our answer$/)
  assert.equal(headerOf(refresh, 'Session-Expires'), '120;refresher=uac')
  answer(200, 'Session-Expires: 120;refresher=uac\nContent-Type: application/sdp\nContent-Length: 11\n\nsame answer')
  await net.clock.advance(100)
  assert.deepEqual(callee.told, ['refreshed same answer'])
  assert.match(peer.received.at(-1)!, /^ACK/)
  await net.clock.advance(60_000)
  assert.match(peer.received.at(-1)!, /^INVITE/)
  assert.equal(session.state, 'confirmed')
})

test('ends the call with BYE when a refresh gets 481 or no response', async (t) => {
  const net = new SipNetwork(t)
  const { peer, callee, answer } = await rawCaller(net, '120;refresher=uas')
  await net.clock.advance(60_000)
  answer(481, 'Content-Length: 0\n\n')
  await net.clock.advance(100)
  assert.deepEqual(callee.told, ['ended by network 481'])
  assert.match(peer.received.at(-1)!, /^BYE/)

  const other = new SipNetwork(t)
  const silent = await rawCaller(other, '120;refresher=uas')
  await other.clock.advance(60_000 + 32_100)
  assert.deepEqual(silent.callee.told, ['ended by network 408'])
})

test('keeps the call until expiry when a refresh is rejected for another reason', async (t) => {
  const net = new SipNetwork(t)
  const { peer, callee, answer } = await rawCaller(net, '120;refresher=uas')
  await net.clock.advance(60_000)
  answer(500, 'Content-Length: 0\n\n')
  await net.clock.advance(10_000)
  assert.deepEqual(callee.told, [])
  await net.clock.advance(20_000)
  assert.deepEqual(callee.told, ['ended by network 408'])
  assert.match(peer.received.at(-1)!, /^BYE/)
})

test('sends BYE shortly before expiry when the far end fails to refresh', async (t) => {
  const net = new SipNetwork(t)
  const { peer, callee } = await rawCaller(net, '300;refresher=uac')
  await net.clock.advance((300 - 33) * 1000)
  assert.deepEqual(callee.told, [])
  await net.clock.advance(1_500)
  assert.deepEqual(callee.told, ['ended by network 408'])
  assert.match(peer.received.at(-1)!, /^BYE/)
})

test('answers 422 with Min-SE to a short interval; the caller retries', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = [net.agent('10.0.0.1', timer(120)), net.agent('10.0.0.2', timer(1_800, 300))]
  const { incoming } = await dial(net, alice, bob)
  void incoming.accept({ sdp: 'answer' })
  await net.clock.advance(100)
  assert.deepEqual(net.story.slice(0, 5), ['1>2 INVITE', '2>1 422 INVITE', '1>2 ACK', '1>2 INVITE', '2>1 200 INVITE'])
  assert.equal(headerOf(find(net, '422 INVITE'), 'Min-SE'), '300')
  assert.equal(headerOf(find(net, '200 INVITE'), 'Session-Expires'), '300;refresher=uac')
  const [first, second] = net.passed.filter(({ what }) => what === 'INVITE').map(({ text }) => text)
  assert.deepEqual([headerOf(first, 'CSeq'), headerOf(second, 'CSeq')], ['1 INVITE', '2 INVITE'])
  assert.equal(headerOf(first, 'Call-ID'), headerOf(second, 'Call-ID'))
  assert.equal(headerOf(second, 'Min-SE'), '300')
})

test('answers 422 to a re-INVITE with a short interval', async (t) => {
  const net = new SipNetwork(t)
  const { peer, session } = await rawCaller(net, '1800')
  peer.send(
    '10.0.0.2',
    `UPDATE sip:b@10.0.0.2 SIP/2.0\nVia: SIP/2.0/UDP 10.0.0.1;branch=z9hG4bK9\nFrom: <sip:a@10.0.0.1>;tag=a\nTo: <sip:b@10.0.0.2>;tag=${session.localTag}\n` +
      'Call-ID: raw\nCSeq: 5 UPDATE\nContact: <sip:a@10.0.0.1>\nSupported: timer\nSession-Expires: 60\nContent-Length: 0\n\n',
  )
  await net.clock.advance(10)
  assert.equal(peer.statuses().at(-1), 422)
})

test('refreshes if a proxy requests it and the caller does not support timers', async (t) => {
  const net = new SipNetwork(t)
  const { peer } = await rawCaller(net, '240', 'replaces')
  assert.equal(headerOf(peer.received[0], 'Session-Expires'), '240;refresher=uas')
  assert.equal(headerOf(peer.received[0], 'Require'), '')
})

test('keeps the refresher when the other side changes the session', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = [net.agent('10.0.0.1', timer(600)), net.agent('10.0.0.2')]
  const { incoming } = await connect(net, alice, bob)
  const change = incoming.offer('hold')
  await net.clock.advance(100)
  await change
  assert.equal(headerOf(find(net, 'INVITE'), 'Session-Expires'), '600;refresher=uas')
  assert.equal(headerOf(find(net, '200 INVITE'), 'Session-Expires'), '600;refresher=uas')
  await net.clock.advance(301_000)
  assert.equal(net.count('UPDATE', alice.address), 1)
})

test('malformed Session-Expires: answers 400 to a request, ignores it in a response', async (t) => {
  const net = new SipNetwork(t)
  const { peer, bob } = await rawCaller(net, 'soon')
  assert.deepEqual(peer.statuses(), [400])
  assert.equal(bob.invites.length, 0)
})

test('leaves no timer after the end', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = [net.agent('10.0.0.1'), net.agent('10.0.0.2')]
  const { outgoing } = await connect(net, alice, bob)
  void outgoing.end()
  await net.clock.advance(70_000)
  assert.equal(net.clock.pending(), 0)
})

test('caps absurd intervals at the timer range', async (t) => {
  const net = new SipNetwork(t)
  const waits: number[] = []
  const after = net.clock.after.bind(net.clock)
  net.clock.after = (ms, run) => {
    waits.push(ms)
    return after(ms, run)
  }
  const { session } = await rawCaller(net, '4294967295\nMin-SE: 4294967295')
  assert.equal(session.state, 'confirmed')
  assert.ok(Math.max(...waits) < 2 ** 31)
})

test('retries a change with a longer interval after 422', async (t) => {
  const net = new SipNetwork(t)
  const { peer, session, answer } = await rawCaller(net, '200;refresher=uas')
  const change = session.offer('hold')
  await net.clock.advance(10)
  answer(422, 'Min-SE: 500\nContent-Length: 0\n\n')
  await net.clock.advance(10)
  assert.match(peer.received.at(-1)!, /^INVITE [^]*^Session-Expires: 500;refresher=uac\r\nMin-SE: 500/m)
  answer(200, 'Content-Type: application/sdp\nContent-Length: 4\n\nfine')
  await net.clock.advance(10)
  assert.deepEqual(await change, { status: 200, sdp: 'fine' })
})
