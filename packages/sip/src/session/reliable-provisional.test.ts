import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CallEnd, dial } from '../testing/sip-call.ts'
import { headerOf, SipNetwork } from '../testing/sip-network.ts'

const pair = (net: SipNetwork) => [net.agent('10.0.0.1'), net.agent('10.0.0.2')] as const

test('confirms a reliable response with PRACK and takes its SDP as the answer', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { caller, incoming } = await dial(net, alice, bob)
  const confirmed = incoming.progress(183, { sdp: 'early answer', reliable: true })
  await net.clock.advance(10)
  assert.equal(await confirmed, true)
  const reliable = net.passed.find(({ what }) => what === '183 INVITE')?.text
  const prack = net.passed.find(({ what }) => what === 'PRACK')?.text
  assert.equal(headerOf(reliable, 'Require'), '100rel')
  assert.equal(headerOf(prack, 'RAck'), `${headerOf(reliable, 'RSeq')} 1 INVITE`)
  assert.equal(headerOf(prack, 'CSeq'), '2 PRACK')
  void incoming.accept()
  await net.clock.advance(10)
  assert.deepEqual(caller.told, ['progress 183 early answer', 'answered early answer'])
  assert.equal(headerOf(net.passed.find(({ what }) => what === '200 INVITE')?.text, 'Content-Length'), '0')
})

test('repeats a reliable response until PRACK; ignores its repetitions', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { caller, incoming } = await dial(net, alice, bob)
  let lost = 0
  net.drops = ({ what }) => what === 'PRACK' && lost++ < 2
  const confirmed = incoming.progress(180, { reliable: true })
  await net.clock.advance(4_000)
  assert.equal(await confirmed, true)
  assert.deepEqual(caller.told, ['progress 180'])
  assert.equal(net.count('PRACK'), 3)
  assert.equal(net.count('180 INVITE'), 3)
  assert.equal(net.count('200 PRACK'), 1)
})

test('sends several reliable responses one after the other with rising RSeq', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { caller, incoming } = await dial(net, alice, bob)
  const all = Promise.all([181, 180, 183].map((status) => incoming.progress(status, { reliable: true })))
  await net.clock.advance(50)
  assert.deepEqual(await all, [true, true, true])
  assert.deepEqual(caller.told, ['progress 181', 'progress 180', 'progress 183'])
  const numbers = net.passed.filter(({ what }) => what.startsWith('18')).map(({ text }) => Number(headerOf(text, 'RSeq')))
  assert.deepEqual(numbers, [numbers[0]!, numbers[0]! + 1, numbers[0]! + 2])
})

test('delays the 200 until the PRACK of a response with SDP', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { incoming } = await dial(net, alice, bob)
  net.drops = ({ what }) => what === 'PRACK' && net.clock.now() < 2_000
  void incoming.progress(183, { sdp: 'early', reliable: true })
  const accepted = incoming.accept()
  await net.clock.advance(1_000)
  assert.equal(net.count('200 INVITE'), 0)
  await net.clock.advance(4_000)
  assert.equal(await accepted, true)
})

test('rejects the INVITE after 64·T1 without PRACK', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { caller, callee, incoming } = await dial(net, alice, bob)
  net.drops = ({ what }) => what === 'PRACK'
  const confirmed = incoming.progress(183, { sdp: 'early', reliable: true })
  const accepted = incoming.accept()
  await net.clock.advance(32_100)
  assert.deepEqual([await confirmed, await accepted], [false, false])
  assert.deepEqual(callee.told, ['ended by network 504'])
  assert.equal(caller.ends[0]?.status, 504)
  await net.clock.advance(70_000)
  assert.equal(net.clock.pending(), 0)
})

test('handles a CANCEL while a reliable response is unconfirmed', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { callee, outgoing, incoming } = await dial(net, alice, bob)
  net.drops = ({ what }) => what === 'PRACK'
  const confirmed = incoming.progress(183, { sdp: 'early', reliable: true })
  const accepted = incoming.accept()
  await net.clock.advance(100)
  void outgoing.end()
  await net.clock.advance(100)
  assert.deepEqual([await confirmed, await accepted], [false, false])
  assert.deepEqual(callee.told, ['ended by peer 487'])
})

test('late offer: a reliable response offers, PRACK answers, the 200 has no SDP', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { caller, callee, incoming } = await dial(net, alice, bob, { sdp: undefined })
  const confirmed = incoming.progress(183, { sdp: 'their offer', reliable: true })
  await net.clock.advance(20)
  assert.equal(await confirmed, true)
  const accepted = incoming.accept()
  await net.clock.advance(20)
  assert.equal(await accepted, true)
  assert.deepEqual(callee.told, ['acknowledged answer to their offer'])
  assert.deepEqual(caller.told, ['offered their offer', 'progress 183', 'answered undefined'])
})

test('late offer: cancels the call if a reliable offer cannot be answered', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { caller, callee, incoming } = await dial(net, alice, bob, { sdp: undefined })
  caller.reply = () => ({ status: 488 })
  void incoming.progress(183, { sdp: 'their offer', reliable: true })
  await net.clock.advance(50)
  assert.deepEqual(caller.told, ['offered their offer', 'ended by us 488'])
  assert.deepEqual(callee.told, ['ended by peer 487'])
})

const rawInvite = (more: string): string =>
  `INVITE sip:b@10.0.0.2 SIP/2.0\nVia: SIP/2.0/UDP 10.0.0.1;branch=z9hG4bK1\nFrom: <sip:a@10.0.0.1>;tag=a\nTo: <sip:b@10.0.0.2>\n` +
  `Call-ID: raw\nCSeq: 7 INVITE\nContact: <sip:a@10.0.0.1>\n${more}Content-Type: application/sdp\nContent-Length: 5\n\noffer`

const rawPrack = (tag: string, rack: string, cseq: number, body = ''): string =>
  `PRACK sip:b@10.0.0.2 SIP/2.0\nVia: SIP/2.0/UDP 10.0.0.1;branch=z9hG4bKp${cseq}\nFrom: <sip:a@10.0.0.1>;tag=a\nTo: <sip:b@10.0.0.2>;tag=${tag}\n` +
  `Call-ID: raw\nCSeq: ${cseq} PRACK\nRAck: ${rack}\nContent-Type: application/sdp\nContent-Length: ${body.length}\n\n${body}`

test('sends every provisional response reliably if the caller requires 100rel, none if unsupported', async (t) => {
  for (const [header, reliable] of [
    ['Require: 100rel\n', true],
    ['', false],
  ] as const) {
    const net = new SipNetwork(t)
    const bob = net.agent('10.0.0.2')
    const peer = net.raw('10.0.0.1')
    peer.send('10.0.0.2', rawInvite(header))
    await net.clock.advance(10)
    void bob.invites[0]?.session.progress(180, { reliable: !reliable })
    await net.clock.advance(10)
    assert.equal(/^RSeq:/m.test(peer.received[0]!), reliable)
  }
})

test('PRACK: accepts a new offer; answers 481 to an unknown RAck, 400 to none', async (t) => {
  const net = new SipNetwork(t)
  const bob = net.agent('10.0.0.2')
  const peer = net.raw('10.0.0.1')
  peer.send('10.0.0.2', rawInvite('Supported: 100rel\n'))
  await net.clock.advance(10)
  const { session } = bob.invites[0]!
  const callee = new CallEnd()
  session.observe(callee.observer)
  const confirmed = session.progress(183, { sdp: 'early', reliable: true })
  await net.clock.advance(10)
  const rseq = Number(headerOf(peer.received[0], 'RSeq'))
  peer.send('10.0.0.2', rawPrack(session.localTag, `${rseq + 1} 7 INVITE`, 8))
  peer.send('10.0.0.2', rawPrack(session.localTag, `${rseq} 6 INVITE`, 9))
  peer.send('10.0.0.2', rawPrack(session.localTag, '', 10))
  await net.clock.advance(10)
  assert.deepEqual(peer.statuses(), [183, 481, 481, 400])
  peer.send('10.0.0.2', rawPrack(session.localTag, `${rseq} 7 INVITE`, 11, 'new offer'))
  await net.clock.advance(10)
  assert.equal(await confirmed, true)
  assert.deepEqual(callee.told, ['offered new offer'])
  assert.match(peer.received.at(-1)!, /^SIP\/2.0 200 [^]*answer to new offer$/)
})

test('sends a 100 at once to a proxy, which would try another process', async (t) => {
  const net = new SipNetwork(t)
  const alice = net.agent('10.0.0.1')
  const bob = net.agent('10.0.0.2', { isProxy: (address) => address === alice.address })
  const { incoming } = await dial(net, alice, bob)
  assert.equal(net.count('100 INVITE'), 1)
  await net.clock.advance(1_000)
  assert.equal(net.count('100 INVITE'), 1)
  incoming.reject(486)
  await net.clock.advance(70_000)
  for (const { ua } of [alice, bob]) assert.deepEqual(ua.load, { transactions: 0, sessions: 0 })
})
