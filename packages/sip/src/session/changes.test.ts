import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect, dial } from '../testing/sip-call.ts'
import { headerOf, SipNetwork } from '../testing/sip-network.ts'
import type { OfferReply } from './session.ts'

const pair = (net: SipNetwork) => [net.agent('10.0.0.1'), net.agent('10.0.0.2')] as const

test('changes the session by re-INVITE and UPDATE, as caller and callee', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { caller, callee, incoming, outgoing } = await connect(net, alice, bob)
  const hold = outgoing.offer('hold')
  await net.clock.advance(50)
  assert.deepEqual(await hold, { status: 200, sdp: 'answer to hold' })
  const back = incoming.offer('back', { method: 'UPDATE' })
  await net.clock.advance(50)
  assert.deepEqual(await back, { status: 200, sdp: 'answer to back' })
  assert.deepEqual(callee.told, ['offered hold'])
  assert.deepEqual(caller.told, ['offered back'])
  assert.deepEqual(net.story, ['1>2 INVITE', '2>1 200 INVITE', '1>2 ACK', '2>1 UPDATE', '1>2 200 UPDATE'])
})

test('serializes several changes', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { callee, outgoing } = await connect(net, alice, bob)
  const all = Promise.all([outgoing.offer('one'), outgoing.offer('two'), outgoing.offer('three', { method: 'UPDATE' })])
  await net.clock.advance(100)
  assert.deepEqual(
    (await all).map(({ sdp }) => sdp),
    ['answer to one', 'answer to two', 'answer to three'],
  )
  assert.deepEqual(callee.told, ['offered one', 'offered two', 'offered three'])
})

test('keeps the session unchanged after a rejected change or an observer error', async (t) => {
  const net = new SipNetwork(t)
  const faults: unknown[] = []
  const [alice, bob] = [net.agent('10.0.0.1'), net.agent('10.0.0.2', { onFault: (error) => void faults.push(error) })]
  const { callee, outgoing } = await connect(net, alice, bob)
  const refused = async (): Promise<{ status: number; sdp: string | undefined }> => {
    const change = outgoing.offer('video')
    await net.clock.advance(50)
    return change
  }
  callee.reply = () => ({ status: 488 })
  assert.deepEqual(await refused(), { status: 488, sdp: undefined })
  callee.reply = () => Promise.reject(new Error('a mistake of the observer'))
  assert.deepEqual(await refused(), { status: 500, sdp: undefined })
  assert.equal(faults.length, 1)
  assert.equal(outgoing.state, 'confirmed')
})

test('re-INVITE without an offer: the 200 offers, the ACK answers', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { caller, callee, outgoing } = await connect(net, alice, bob)
  callee.reply = () => ({ sdp: 'fresh offer' })
  const change = outgoing.offer(undefined)
  await net.clock.advance(50)
  assert.equal((await change).status, 200)
  assert.deepEqual(callee.told, ['offered undefined', 'acknowledged answer to fresh offer'])
  assert.deepEqual(caller.told, ['offered fresh offer'])
})

test('glare: answers 491 to both and retries at different times', async (t) => {
  const net = new SipNetwork(t, { delay: [20, 20] })
  const [alice, bob] = pair(net)
  const { caller, callee, incoming, outgoing } = await connect(net, alice, bob)
  const start = net.clock.now()
  const both = Promise.all([outgoing.offer('from caller'), incoming.offer('from callee')])
  await net.clock.advance(6_000)
  assert.deepEqual(
    (await both).map(({ status }) => status),
    [200, 200],
  )
  assert.equal(net.count('491 INVITE'), 2)
  assert.deepEqual(caller.told, ['offered from callee'])
  assert.deepEqual(callee.told, ['offered from caller'])
  const again = (from: string): number => net.passed.filter(({ from: by, what }) => what === 'INVITE' && by === from).at(-1)!.at - start
  assert.ok(again(alice.address) >= 2_100 && again(alice.address) <= 4_100, 'the owner of the Call-ID waits 2.1 to 4 s')
  assert.ok(again(bob.address) <= 2_100, 'the other one up to 2 s')
})

test('answers 500 with Retry-After to a second re-INVITE while one is pending', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { callee, outgoing } = await connect(net, alice, bob)
  const slow = Promise.withResolvers<OfferReply>()
  callee.reply = () => slow.promise
  const first = outgoing.offer('first')
  await net.clock.advance(10)
  const text = net.passed.find(({ what }) => what === 'INVITE')!.text
  const second = text.replace(/branch=\S+/, 'branch=z9hG4bKsecond').replace(/^CSeq: (\d+)/m, (_, number) => `CSeq: ${Number(number) + 1}`)
  net.transport(alice.address).send(Buffer.from(second), { kind: 'udp', address: bob.address, port: 5060 }, () => {})
  await net.clock.advance(10)
  const refusal = net.passed.find(({ what }) => what === '500 INVITE')!.text
  assert.match(headerOf(refusal, 'Retry-After'), /^(\d|10)$/)
  slow.resolve({ sdp: 'at last' })
  await net.clock.advance(10)
  assert.equal((await first).sdp, 'at last')
})

test('makes the next change after a lost ACK', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { callee, outgoing } = await connect(net, alice, bob)
  let lost = 0
  net.drops = ({ what }) => what === 'ACK' && lost++ === 0
  const both = Promise.all([outgoing.offer('one'), outgoing.offer('two')])
  await net.clock.advance(3_000)
  assert.deepEqual(
    (await both).map(({ status }) => status),
    [200, 200],
  )
  assert.deepEqual(callee.told, ['offered one', 'offered two'])
  assert.equal(net.count('500 INVITE'), 0)
})

test('ends the call when the 200 to a re-INVITE is never acknowledged', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { callee, outgoing } = await connect(net, alice, bob)
  net.drops = ({ what }) => what === 'ACK'
  void outgoing.offer('hold')
  await net.clock.advance(33_000)
  assert.deepEqual(callee.told, ['offered hold', 'ended by network 408'])
})

test('ends the call with BYE when a change gets 481 or no response', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { caller, outgoing } = await connect(net, alice, bob)
  net.drops = ({ what }) => what === 'INVITE'
  const change = outgoing.offer('hold')
  await net.clock.advance(33_000)
  assert.deepEqual(await change, { status: 408, sdp: undefined })
  assert.deepEqual(caller.told, ['ended by network 408'])
  assert.equal(net.count('BYE', alice.address), 1)
})

test('gives up a re-INVITE that gets only provisional responses', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { caller, callee, outgoing } = await connect(net, alice, bob)
  callee.reply = () => new Promise(() => {})
  const change = outgoing.offer('hold')
  await net.clock.advance(65_000)
  assert.equal((await change).status, 408)
  assert.deepEqual(caller.told, ['ended by network 408'])
  await net.clock.advance(70_000)
  assert.deepEqual([alice.ua.load.transactions, bob.ua.load.transactions], [0, 0])
})

test('cancels a pending change at hang-up and answers 487', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { callee, incoming, outgoing } = await connect(net, alice, bob)
  callee.reply = () => new Promise(() => {})
  const change = outgoing.offer('hold')
  const later = outgoing.offer('never sent')
  await net.clock.advance(10)
  void incoming.end()
  await net.clock.advance(50)
  assert.deepEqual([(await change).status, (await later).status], [487, 481])
  assert.equal(net.count('487 INVITE'), 1)
  await net.clock.advance(70_000)
  assert.equal(net.clock.pending(), 0)
})

test('falls back from UPDATE to re-INVITE when it is not allowed or unknown', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { callee, outgoing } = await connect(net, alice, bob)
  assert.equal(outgoing.peerAllowsUpdate, true)
  const replies: OfferReply[] = [{ status: 501 }, { sdp: 'answer to new' }]
  callee.reply = () => replies.shift()!
  const change = outgoing.offer('new', { method: 'UPDATE' })
  await net.clock.advance(50)
  assert.equal((await change).sdp, 'answer to new')
  assert.deepEqual(net.story.slice(0, 3), ['1>2 UPDATE', '2>1 501 UPDATE', '1>2 INVITE'])
})

test('allows only UPDATE before the answer, and only after a reliable answer', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { callee, outgoing, incoming } = await dial(net, alice, bob)
  void incoming.progress(183, { sdp: 'early', reliable: true })
  await net.clock.advance(20)
  const byInvite = outgoing.offer('new')
  const byUpdate = outgoing.offer('new', { method: 'UPDATE' })
  await net.clock.advance(20)
  assert.equal((await byInvite).status, 491)
  assert.deepEqual(await byUpdate, { status: 200, sdp: 'answer to new' })
  assert.deepEqual(callee.told, ['offered new'])
})

test('rejects an early UPDATE while an offer is pending: 491 from the caller, 500 from the callee', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { incoming, outgoing } = await dial(net, alice, bob)
  void incoming.progress(180)
  await net.clock.advance(10)
  const update = (from: string, to: string, fromTag: string, toTag: string): void => {
    const text =
      `UPDATE sip:x@${to} SIP/2.0\r\nVia: SIP/2.0/UDP ${from};branch=z9hG4bK${fromTag}\r\nFrom: <sip:x@${from}>;tag=${fromTag}\r\n` +
      `To: <sip:y@${to}>;tag=${toTag}\r\nCall-ID: ${outgoing.callId}\r\nCSeq: 500 UPDATE\r\nContact: <sip:x@${from}>\r\n` +
      'Content-Type: application/sdp\r\nContent-Length: 3\r\n\r\nnew'
    net.transport(from).send(Buffer.from(text), { kind: 'udp', address: to, port: 5060 }, () => {})
  }
  update(bob.address, alice.address, incoming.localTag, outgoing.localTag)
  update(alice.address, bob.address, outgoing.localTag, incoming.localTag)
  await net.clock.advance(10)
  assert.deepEqual([net.count('491 UPDATE', alice.address), net.count('500 UPDATE', bob.address)], [1, 1])
})

test('keeps the call when a re-INVITE is cancelled', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { callee, incoming, outgoing } = await connect(net, alice, bob)
  callee.reply = () => new Promise(() => {})
  void outgoing.offer('hold')
  await net.clock.advance(10)
  const text = net.passed.find(({ what }) => what === 'INVITE')!.text
  const kept = text
    .slice(0, text.indexOf('\r\n\r\n'))
    .split('\r\n')
    .filter((line) => !line.startsWith('Content-'))
  const cancel = [...kept, 'Content-Length: 0', '', '']
    .join('\r\n')
    .replace('INVITE', 'CANCEL')
    .replace(/^(CSeq: \d+) INVITE/m, '$1 CANCEL')
  net.transport(alice.address).send(Buffer.from(cancel), { kind: 'udp', address: bob.address, port: 5060 }, () => {})
  await net.clock.advance(10)
  assert.deepEqual([net.count('200 CANCEL'), net.count('487 INVITE')], [1, 1])
  assert.equal(incoming.state, 'confirmed')
})

test('updates the target only from accepted changes', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const moved = net.raw('10.0.0.9')
  const { callee, incoming, outgoing } = await connect(net, alice, bob)
  const reinvite = (cseq: number): void => {
    const text =
      `INVITE ${bob.uri} SIP/2.0\r\nVia: SIP/2.0/UDP 10.0.0.9;branch=z9hG4bKmoved${cseq}\r\nFrom: <sip:alice@10.0.0.1>;tag=${outgoing.localTag}\r\n` +
      `To: <${bob.uri}>;tag=${incoming.localTag}\r\nCall-ID: ${outgoing.callId}\r\nCSeq: ${cseq} INVITE\r\nContact: <sip:alice@10.0.0.9>\r\n` +
      'Content-Type: application/sdp\r\nContent-Length: 3\r\n\r\nnew'
    net.transport('10.0.0.9').send(Buffer.from(text), { kind: 'udp', address: bob.address, port: 5060 }, () => {})
  }
  callee.reply = () => ({ status: 488 })
  reinvite(50)
  await net.clock.advance(10)
  void incoming.info('text/plain', 'still at the old place')
  await net.clock.advance(10)
  assert.equal(net.passed.at(-2)?.to, alice.address)
  callee.reply = () => ({ sdp: 'fine' })
  reinvite(51)
  await net.clock.advance(10)
  void incoming.info('text/plain', 'at the new place')
  await net.clock.advance(10)
  assert.match(moved.received.at(-1)!, /^INFO sip:alice@10\.0\.0\.9 /)
})
