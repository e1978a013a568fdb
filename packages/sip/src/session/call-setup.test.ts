import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CallEnd, connect, dial } from '../testing/sip-call.ts'
import { headerOf, SipNetwork } from '../testing/sip-network.ts'
import type { RawPeer, TestAgent } from '../testing/sip-network.ts'

const pair = (net: SipNetwork): [TestAgent, TestAgent] => [net.agent('10.0.0.1'), net.agent('10.0.0.2')]

const assertClean = async (net: SipNetwork, ...agents: TestAgent[]): Promise<void> => {
  await net.clock.advance(70_000)
  for (const { ua } of agents) assert.deepEqual(ua.load, { transactions: 0, sessions: 0 })
  assert.equal(net.clock.pending(), 0, 'no timer is left')
}

/** Response of a raw peer to the INVITE it got. */
const answer = (peer: RawPeer, status: number, more: { tag?: string; headers?: string[]; body?: string } = {}): string => {
  const invite = peer.received.findLast((text) => text.startsWith('INVITE')) ?? ''
  const { body = '' } = more
  const lines = [
    `SIP/2.0 ${status} Whatever`,
    `Via: ${headerOf(invite, 'Via')}`,
    `From: ${headerOf(invite, 'From')}`,
    `To: ${headerOf(invite, 'To')}${more.tag === undefined ? '' : `;tag=${more.tag}`}`,
    `Call-ID: ${headerOf(invite, 'Call-ID')}`,
    `CSeq: ${headerOf(invite, 'CSeq')}`,
    ...(more.headers ?? []),
    ...(body === '' ? [] : ['Content-Type: application/sdp']),
    `Content-Length: ${body.length}`,
    '',
    body,
  ]
  return lines.join('\r\n')
}

test('early media: reports the SDP of the 183 and of the 200', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { caller, incoming } = await dial(net, alice, bob)
  assert.equal(await incoming.progress(183, { sdp: 'early' }), true)
  assert.equal(incoming.state, 'early')
  void incoming.accept({ sdp: 'early' })
  await net.clock.advance(50)
  assert.deepEqual(caller.told, ['progress 183 early', 'answered early'])
})

for (const [tag, notified] of Object.entries({ x: 'answered second', y: 'ended by us 488' }))
  test(`a 200 of ${tag} without SDP: uses the SDP of its own 183, not that of another branch`, async (t) => {
    const net = new SipNetwork(t)
    const [{ ua }, peer, caller] = [net.agent('10.0.0.1'), net.raw('10.0.0.2'), new CallEnd()]
    ua.invite({ uri: 'sip:b@10.0.0.2', from: '<sip:a@10.0.0.1>', sdp: 'offer' }, caller.observer)
    await net.clock.advance(10)
    const headers = ['Contact: <sip:b@10.0.0.2>']
    for (const body of ['first', 'second']) peer.send('10.0.0.1', answer(peer, 183, { tag: 'x', headers, body }))
    peer.send('10.0.0.1', answer(peer, 200, { tag, headers }))
    await net.clock.advance(10)
    assert.deepEqual(caller.told, ['progress 183 first', 'progress 183 second', notified])
  })

test('sends a 100 after 200 ms without another response and repeats a provisional response each minute', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { caller, incoming } = await dial(net, alice, bob)
  await net.clock.advance(300)
  assert.equal(net.count('100 INVITE'), 1)
  assert.equal(net.count('INVITE'), 1)
  void incoming.progress(180)
  await net.clock.advance(130_000)
  assert.equal(net.count('180 INVITE'), 3)
  assert.deepEqual(caller.told, ['progress 180', 'progress 180', 'progress 180'])
  incoming.reject(486)
  await net.clock.advance(10)
  assert.equal(caller.ends[0]?.status, 486)
  assert.equal(caller.ends[0]?.by, 'peer')
  await assertClean(net, alice, bob)
})

test('repeats the 2xx until the ACK arrives, and the ACK for each 2xx', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { incoming } = await dial(net, alice, bob)
  let lost = 0
  net.drops = ({ what }) => what === 'ACK' && lost++ < 3
  const accepted = incoming.accept({ sdp: 'answer' })
  await net.clock.advance(5_000)
  assert.equal(await accepted, true)
  assert.equal(net.count('200 INVITE'), 4)
  assert.equal(net.count('ACK'), 4)
  const times = net.passed.filter(({ what }) => what === '200 INVITE').map(({ at }) => at)
  assert.deepEqual(
    times.map((at) => at - times[0]!),
    [0, 500, 1_500, 3_500],
  )
})

test('ends the session with BYE after 64·T1 without an ACK', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { callee, caller, incoming } = await dial(net, alice, bob)
  net.drops = ({ what }) => what === 'ACK'
  const accepted = incoming.accept({ sdp: 'answer' })
  await net.clock.advance(32_100)
  assert.equal(await accepted, false)
  assert.deepEqual(callee.told, ['ended by network 408'])
  assert.equal(net.count('BYE', bob.address), 1)
  assert.equal(caller.ends[0]?.by, 'peer')
  await assertClean(net, alice, bob)
})

test('reports 408 after 64·T1 without a response, 503 without a connection', async (t) => {
  const net = new SipNetwork(t)
  const alice = net.agent('10.0.0.1')
  const [udp, tcp] = [new CallEnd(), new CallEnd()]
  alice.ua.invite({ uri: 'sip:x@10.0.0.9', from: '<sip:a@10.0.0.1>', sdp: 'offer' }, udp.observer)
  alice.ua.invite({ uri: 'sip:x@10.0.0.9;transport=tcp', from: '<sip:a@10.0.0.1>', sdp: 'offer' }, tcp.observer)
  await net.clock.advance(32_000)
  assert.deepEqual(udp.told, ['ended by network 408'])
  assert.deepEqual(tcp.told, ['ended by network 503'])
  await assertClean(net, alice)
})

test('delays CANCEL until the first response', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const caller = new CallEnd()
  const session = alice.ua.invite({ uri: bob.uri, from: '<sip:a@10.0.0.1>', sdp: 'offer' }, caller.observer)
  await net.clock.advance(0)
  const ended = session.end({ reason: 'SIP;cause=200;text="Call completed elsewhere"' })
  assert.deepEqual(caller.told, ['ended by us 487'])
  await net.clock.advance(100)
  assert.equal(net.count('CANCEL'), 0)
  const callee = new CallEnd()
  bob.invites[0]!.session.observe(callee.observer)
  await net.clock.advance(150)
  await ended
  assert.deepEqual(net.story, ['1>2 INVITE', '2>1 100 INVITE', '1>2 CANCEL', '2>1 200 CANCEL', '2>1 487 INVITE', '1>2 ACK'])
  assert.deepEqual(callee.told, ['ended by peer 487'])
  assert.equal(callee.ends[0]?.reason, 'SIP;cause=200;text="Call completed elsewhere"')
  assert.equal(await bob.invites[0]!.session.accept({ sdp: 'late' }), false)
  await assertClean(net, alice, bob)
})

test('sends no message if ended before the address is resolved', async (t) => {
  const net = new SipNetwork(t)
  const { promise, resolve } = Promise.withResolvers<[]>()
  const alice = net.agent('10.0.0.1', { resolve: () => promise })
  const caller = new CallEnd()
  const session = alice.ua.invite({ uri: 'sip:b@10.0.0.2', from: '<sip:a@10.0.0.1>' }, caller.observer)
  await session.end()
  resolve([])
  await net.clock.advance(10)
  assert.deepEqual(net.passed, [])
  assert.deepEqual(caller.told, ['ended by us 487'])
  await assertClean(net, alice)
})

test('sends ACK and BYE when a 200 crosses the CANCEL', async (t) => {
  const net = new SipNetwork(t, { delay: [20, 20] })
  const [alice, bob] = pair(net)
  const { caller, callee, outgoing, incoming } = await dial(net, alice, bob)
  void incoming.progress(180)
  await net.clock.advance(30)
  const accepted = incoming.accept({ sdp: 'answer' })
  const ended = outgoing.end()
  await net.clock.advance(200)
  await ended
  assert.equal(await accepted, true)
  assert.deepEqual(caller.told, ['progress 180', 'ended by us 487'])
  assert.deepEqual(callee.told, ['ended by peer'])
  const story = net.story
  assert.ok(story.indexOf('1>2 ACK') < story.indexOf('1>2 BYE'))
  assert.ok(story.includes('2>1 200 CANCEL'))
  await assertClean(net, alice, bob)
})

test('ends the INVITE 64·T1 after an unanswered CANCEL', async (t) => {
  const net = new SipNetwork(t)
  const alice = net.agent('10.0.0.1')
  const peer = net.raw('10.0.0.2')
  const session = alice.ua.invite({ uri: 'sip:b@10.0.0.2', from: '<sip:a@10.0.0.1>' }, {})
  await net.clock.advance(10)
  peer.send('10.0.0.1', answer(peer, 180, { tag: 'b' }))
  await net.clock.advance(10)
  let ended = false
  void session.end().then(() => (ended = true))
  await net.clock.advance(31_000)
  assert.equal(ended, false)
  await net.clock.advance(1_100)
  assert.equal(ended, true)
  await assertClean(net, alice)
})

test("delays the callee's BYE until the ACK arrives", async (t) => {
  const net = new SipNetwork(t, { delay: [20, 20] })
  const [alice, bob] = pair(net)
  const { callee, incoming } = await dial(net, alice, bob)
  void incoming.accept({ sdp: 'answer' })
  void incoming.end()
  assert.deepEqual(callee.told, ['ended by us'])
  await net.clock.advance(30)
  assert.equal(net.count('BYE'), 0)
  await net.clock.advance(50)
  assert.deepEqual(net.story.slice(-2), ['2>1 BYE', '1>2 200 BYE'])
  await assertClean(net, alice, bob)
})

test('survives a simultaneous hang-up', async (t) => {
  const net = new SipNetwork(t, { delay: [20, 20] })
  const [alice, bob] = pair(net)
  const { outgoing, incoming, caller, callee } = await connect(net, alice, bob)
  const both = Promise.all([outgoing.end(), incoming.end()])
  await net.clock.advance(100)
  await both
  assert.deepEqual([caller.told, callee.told], [['ended by us'], ['ended by us']])
  assert.equal(net.count('200 BYE'), 2)
  await assertClean(net, alice, bob)
})

test('accepts a BYE of the caller in an early dialog', async (t) => {
  const net = new SipNetwork(t)
  const bob = net.agent('10.0.0.2')
  const peer = net.raw('10.0.0.1')
  const common = 'Via: SIP/2.0/UDP 10.0.0.1;branch=z9hG4bK1\nFrom: <sip:a@10.0.0.1>;tag=a\nCall-ID: early-bye\n'
  peer.send(
    '10.0.0.2',
    `INVITE sip:b@10.0.0.2 SIP/2.0\n${common}To: <sip:b@10.0.0.2>\nCSeq: 1 INVITE\nContact: <sip:a@10.0.0.1>\nContent-Length: 0\n\n`,
  )
  await net.clock.advance(10)
  const { session } = bob.invites[0]!
  const callee = new CallEnd()
  session.observe(callee.observer)
  void session.progress(180)
  const bye = common.replace('z9hG4bK1', 'z9hG4bK2')
  peer.send(
    '10.0.0.2',
    `BYE sip:b@10.0.0.2 SIP/2.0\n${bye}To: <sip:b@10.0.0.2>;tag=${session.localTag}\nCSeq: 2 BYE\nContent-Length: 0\n\n`,
  )
  await net.clock.advance(10)
  assert.deepEqual(peer.statuses(), [180, 200, 487])
  assert.deepEqual(callee.told, ['ended by peer 487'])
})

test('late offer: the 200 has the offer, the ACK the answer', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { caller, callee, incoming } = await dial(net, alice, bob, { sdp: undefined })
  assert.equal(bob.invites[0]?.sdp, undefined)
  assert.equal(await incoming.progress(180, { sdp: 'not yet' }), true)
  const accepted = incoming.accept({ sdp: 'their offer' })
  await net.clock.advance(100)
  assert.equal(await accepted, true)
  assert.deepEqual(caller.told, ['progress 180', 'offered their offer', 'answered undefined'])
  assert.deepEqual(callee.told, ['acknowledged answer to their offer'])
  assert.doesNotMatch(net.passed.find(({ what }) => what === '180 INVITE')!.text, /not yet/)
})

test('late offer: sends ACK and BYE if it cannot be answered', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { caller, callee, incoming } = await dial(net, alice, bob, { sdp: undefined })
  caller.reply = async () => ({ status: 488 })
  void incoming.accept({ sdp: 'their offer' })
  await net.clock.advance(100)
  assert.deepEqual(caller.told, ['offered their offer', 'ended by us 488'])
  assert.ok(net.story.indexOf('1>2 ACK') < net.story.indexOf('1>2 BYE'))
  assert.equal(callee.ends.length, 1)
  await assertClean(net, alice, bob)
})

test('ends the call after an ACK without the required answer', async (t) => {
  const net = new SipNetwork(t)
  const bob = net.agent('10.0.0.2')
  const peer = net.raw('10.0.0.1')
  const common = 'From: <sip:a@10.0.0.1>;tag=a\nCall-ID: no-answer\n'
  const via = (branch: string): string => `Via: SIP/2.0/UDP 10.0.0.1;branch=z9hG4bK${branch}\n`
  peer.send(
    '10.0.0.2',
    `INVITE sip:b@10.0.0.2 SIP/2.0\n${via('1')}${common}To: <sip:b@10.0.0.2>\nCSeq: 1 INVITE\nContact: <sip:a@10.0.0.1>\nContent-Length: 0\n\n`,
  )
  await net.clock.advance(10)
  const { session } = bob.invites[0]!
  const accepted = session.accept({ sdp: 'offer' })
  peer.send(
    '10.0.0.2',
    `ACK sip:b@10.0.0.2 SIP/2.0\n${via('2')}${common}To: <sip:b@10.0.0.2>;tag=${session.localTag}\nCSeq: 1 ACK\nContent-Length: 0\n\n`,
  )
  await net.clock.advance(10)
  assert.equal(await accepted, false)
  assert.ok(peer.received.some((text) => text.startsWith('BYE') && /Reason: SIP;cause=488/.test(text)))
})

test('forking: reports each branch, keeps the first 2xx, sends ACK and BYE to the others', async (t) => {
  const net = new SipNetwork(t)
  const alice = net.agent('10.0.0.1')
  const peer = net.raw('10.0.0.2')
  const caller = new CallEnd()
  const session = alice.ua.invite({ uri: 'sip:b@10.0.0.2', from: '<sip:a@10.0.0.1>', sdp: 'offer' }, caller.observer)
  await net.clock.advance(10)
  const contact = (host: string): string[] => [`Contact: <sip:b@${host}>`]
  net.raw('10.0.0.3')
  const second = net.raw('10.0.0.4')
  peer.send('10.0.0.1', answer(peer, 180, { tag: 'x', headers: contact('10.0.0.3') }))
  peer.send('10.0.0.1', answer(peer, 183, { tag: 'y', headers: contact('10.0.0.4'), body: 'early y' }))
  await net.clock.advance(10)
  assert.equal(session.remoteTag, 'y')
  peer.send('10.0.0.1', answer(peer, 200, { tag: 'x', headers: contact('10.0.0.3'), body: 'answer x' }))
  peer.send('10.0.0.1', answer(peer, 200, { tag: 'y', headers: contact('10.0.0.4'), body: 'answer y' }))
  peer.send('10.0.0.1', answer(peer, 200, { tag: 'y', headers: contact('10.0.0.4'), body: 'answer y' }))
  await net.clock.advance(10)
  assert.deepEqual(caller.told, ['progress 180', 'progress 183 early y', 'answered answer x'])
  assert.equal(session.remoteTag, 'x')
  assert.deepEqual(
    second.received.map((text) => text.split(' ', 1)[0]),
    ['ACK', 'BYE', 'ACK'],
  )
  assert.match(second.received[1]!, /^BYE sip:b@10\.0\.0\.4 /)
  const bye = ['Call-ID', 'From', 'To'].map((name) => `${name}: ${headerOf(second.received[1], name)}`)
  const swapped = [bye[0], bye[1]!.replace('From', 'To'), bye[2]!.replace('To', 'From')].join('\n')
  second.send(
    '10.0.0.1',
    `BYE sip:a@10.0.0.1 SIP/2.0\nVia: SIP/2.0/UDP 10.0.0.4;branch=z9hG4bKx\n${swapped}\nCSeq: 9 BYE\nContent-Length: 0\n\n`,
  )
  await net.clock.advance(10)
  assert.deepEqual(second.statuses(), [200], 'the branch that lost says goodbye, too')
  assert.equal(session.state, 'confirmed')
})

test('reports redirections with their contacts without following them', async (t) => {
  const net = new SipNetwork(t)
  const alice = net.agent('10.0.0.1')
  const peer = net.raw('10.0.0.2')
  const caller = new CallEnd()
  alice.ua.invite({ uri: 'sip:b@10.0.0.2', from: '<sip:a@10.0.0.1>', sdp: 'offer' }, caller.observer)
  await net.clock.advance(10)
  peer.send('10.0.0.1', answer(peer, 302, { tag: 'x', headers: ['Contact: <sip:other@10.0.0.7>;q=0.5, <sip:more@10.0.0.8>'] }))
  await net.clock.advance(10)
  assert.deepEqual(
    caller.ends[0]?.contacts?.map(({ uri }) => uri),
    ['sip:other@10.0.0.7', 'sip:more@10.0.0.8'],
  )
  assert.equal(caller.ends[0]?.status, 302)
  assert.equal(net.count('INVITE'), 1)
})

test('sends ACK and BYE when a 2xx has no answer to our offer', async (t) => {
  const net = new SipNetwork(t)
  const alice = net.agent('10.0.0.1')
  const peer = net.raw('10.0.0.2')
  const caller = new CallEnd()
  alice.ua.invite({ uri: 'sip:b@10.0.0.2', from: '<sip:a@10.0.0.1>', sdp: 'offer' }, caller.observer)
  await net.clock.advance(10)
  peer.send('10.0.0.1', answer(peer, 200, { tag: 'x', headers: ['Contact: <sip:b@10.0.0.2>'] }))
  await net.clock.advance(10)
  assert.deepEqual(caller.told, ['ended by us 488'])
  assert.deepEqual(
    peer.received.map((text) => text.split(' ', 1)[0]),
    ['INVITE', 'ACK', 'BYE'],
  )
})

test('ends the session when the route set of a 2xx is malformed', async (t) => {
  const net = new SipNetwork(t)
  const alice = net.agent('10.0.0.1')
  const peer = net.raw('10.0.0.2')
  const caller = new CallEnd()
  alice.ua.invite({ uri: 'sip:b@10.0.0.2', from: '<sip:a@10.0.0.1>', sdp: 'offer' }, caller.observer)
  await net.clock.advance(10)
  peer.send('10.0.0.1', answer(peer, 200, { tag: 'x', headers: ['Contact: <sip:b@10.0.0.2>', 'Record-Route: <nonsense>'] }))
  await net.clock.advance(10)
  assert.deepEqual(caller.told, ['ended by network 500'])
})

test("reports an observer's exception and continues", async (t) => {
  const net = new SipNetwork(t)
  const faults: unknown[] = []
  const alice = net.agent('10.0.0.1', { onFault: (error) => void faults.push(error) })
  const bob = net.agent('10.0.0.2')
  const { incoming, outgoing } = await dial(net, alice, bob)
  outgoing.observe({
    answered: () => {
      throw new Error('a mistake of the observer')
    },
  })
  void incoming.accept({ sdp: 'answer' })
  await net.clock.advance(10)
  assert.equal(faults.length, 1)
  assert.equal(outgoing.state, 'confirmed')
})

test('ends the session asynchronously when an address is malformed', async (t) => {
  const net = new SipNetwork(t)
  const alice = net.agent('10.0.0.1')
  const caller = new CallEnd()
  const session = alice.ua.invite({ uri: 'nonsense', from: '<sip:a@10.0.0.1>' }, caller.observer)
  assert.deepEqual(caller.told, [])
  assert.equal((await session.ended).by, 'us')
  await assertClean(net, alice)
})
