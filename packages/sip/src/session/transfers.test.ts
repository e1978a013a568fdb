import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CallEnd, connect, dial } from '../testing/sip-call.ts'
import { headerOf, SipNetwork } from '../testing/sip-network.ts'

const pair = (net: SipNetwork) => [net.agent('10.0.0.1'), net.agent('10.0.0.2')] as const

test('REFER: answers 202, then reports the new call by NOTIFY until its end', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { callee, outgoing } = await connect(net, alice, bob)
  const heard: number[] = []
  const outcome = outgoing.refer('sip:carol@10.0.0.3', {
    referredBy: '<sip:alice@10.0.0.1>',
    notified: (status) => void heard.push(status),
  })
  await net.clock.advance(20)
  const [refer] = callee.refers
  assert.equal(refer?.referTo.uri, 'sip:carol@10.0.0.3')
  assert.equal(refer?.referredBy, '<sip:alice@10.0.0.1>')
  assert.equal(refer?.replaces, undefined)
  refer?.accept()
  refer?.notify(180)
  refer?.notify(200)
  refer?.notify(404)
  await net.clock.advance(100)
  assert.equal(await outcome, 200)
  assert.deepEqual(heard, [100, 180, 200])
  const notifies = net.passed.filter(({ what }) => what === 'NOTIFY').map(({ text }) => text)
  assert.deepEqual(
    notifies.map((text) => text.split('\r\n\r\n')[1]),
    ['SIP/2.0 100 Trying\r\n', 'SIP/2.0 180 Ringing\r\n', 'SIP/2.0 200 OK\r\n'],
  )
  assert.match(headerOf(notifies[0], 'Subscription-State'), /^active/)
  assert.match(headerOf(notifies[2], 'Subscription-State'), /^terminated/)
  assert.equal(headerOf(notifies[0], 'Event'), 'refer')
  assert.match(headerOf(notifies[0], 'Content-Type'), /^message\/sipfrag/)
})

test('sends the NOTIFY before the BYE on a hang-up right after a transfer', async (t) => {
  const net = new SipNetwork(t, { delay: [20, 20] })
  const [alice, bob] = pair(net)
  const { callee, outgoing, incoming } = await connect(net, alice, bob)
  const heard: number[] = []
  const outcome = outgoing.refer('sip:carol@10.0.0.3', { notified: (status) => void heard.push(status) })
  await net.clock.advance(50)
  callee.refers[0]?.accept()
  callee.refers[0]?.notify(200)
  void incoming.end()
  await net.clock.advance(200)
  assert.equal(await outcome, 200)
  assert.deepEqual(heard, [100, 200])
  const story = net.story.filter((line) => /NOTIFY|BYE/.test(line))
  assert.deepEqual(story, ['2>1 NOTIFY', '1>2 200 NOTIFY', '2>1 NOTIFY', '1>2 200 NOTIFY', '2>1 BYE', '1>2 200 BYE'])
})

test('sends the BYE to a transferor that does not answer the NOTIFY', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { callee, outgoing, incoming } = await connect(net, alice, bob)
  void outgoing.refer('sip:carol@10.0.0.3')
  await net.clock.advance(50)
  net.drops = ({ what }) => what === 'NOTIFY'
  callee.refers[0]?.notify(200)
  void incoming.end()
  await net.clock.advance(2_100)
  assert.equal(net.count('BYE'), 1)
  await net.clock.advance(70_000)
  assert.equal(net.clock.pending(), 0)
})

test('rejects an uncallable Refer-To and keeps the call', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { callee, outgoing } = await connect(net, alice, bob)
  for (const [uri, status] of [
    ['http://www.example.org/', 416],
    ['mailto:a@b', 416],
    ['sip:a@[::1', 400],
  ] as const) {
    const outcome = outgoing.refer(uri)
    await net.clock.advance(50)
    assert.equal(await outcome, status, uri)
  }
  assert.deepEqual(callee.refers, [])
  assert.equal(outgoing.state, 'confirmed')
})

test('a second REFER in the same dialog names its subscription', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { callee, outgoing } = await connect(net, alice, bob)
  const first = outgoing.refer('sip:one@10.0.0.3')
  const second = outgoing.refer('sip:two@10.0.0.3')
  await net.clock.advance(20)
  callee.refers[0]?.notify(486)
  callee.refers[1]?.notify(200)
  await net.clock.advance(100)
  assert.deepEqual([await first, await second], [486, 200])
  assert.match(net.passed.findLast(({ what }) => what === 'NOTIFY')!.text, /^Event: refer;id=\d+\r$/m)
})

test('rejects a REFER as the observer says, or with 603 without a callback', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { callee, outgoing, incoming } = await connect(net, alice, bob)
  const refused = outgoing.refer('sip:carol@10.0.0.3')
  await net.clock.advance(20)
  callee.refers[0]?.reject(403)
  callee.refers[0]?.accept()
  await net.clock.advance(20)
  assert.equal(await refused, 403)
  incoming.observe({})
  const unwanted = outgoing.refer('sip:carol@10.0.0.3')
  await net.clock.advance(20)
  assert.equal(await unwanted, 603)
  assert.equal(net.count('NOTIFY'), 0)
})

test('Refer-Sub: false needs no NOTIFY (RFC 4488)', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { callee, outgoing } = await connect(net, alice, bob)
  const outcome = outgoing.refer('sip:carol@10.0.0.3', { headers: [['Refer-Sub', 'false']] })
  await net.clock.advance(20)
  callee.refers[0]?.accept()
  callee.refers[0]?.notify(200)
  await net.clock.advance(20)
  assert.equal(await outcome, 202)
  assert.equal(net.count('NOTIFY'), 0)
})

test('ends the call before the outcome of a REFER is known', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { callee, outgoing, incoming } = await connect(net, alice, bob)
  const outcome = outgoing.refer('sip:carol@10.0.0.3')
  await net.clock.advance(20)
  callee.refers[0]?.accept()
  await net.clock.advance(20)
  void incoming.end()
  await net.clock.advance(20)
  assert.equal(await outcome, 202)
  callee.refers[0]?.notify(200)
  await net.clock.advance(70_000)
  assert.equal(net.clock.pending(), 0)
})

test('attended transfer: Replaces in Refer-To names a session of the transferee', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const first = await connect(net, alice, bob)
  const consultation = await connect(net, alice, bob)
  const outcome = first.outgoing.refer(bob.uri, { replaces: consultation.outgoing })
  await net.clock.advance(20)
  const [refer] = first.callee.refers
  assert.equal(refer?.referTo.uri, bob.uri)
  assert.equal(refer?.replaced, consultation.incoming)
  const { callId, localTag, remoteTag } = consultation.outgoing
  assert.equal(refer?.replaces, `${callId};to-tag=${remoteTag};from-tag=${localTag}`)
  refer?.notify(200)
  await net.clock.advance(50)
  assert.equal(await outcome, 200)
})

test('answers 400 to a REFER without a single Refer-To', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { outgoing } = await connect(net, alice, bob)
  const refer = async (headers: [string, string][]): Promise<number> => {
    const response = outgoing.request('REFER', { headers })
    await net.clock.advance(20)
    return (await response).status
  }
  assert.equal(await refer([]), 400)
  assert.equal(await refer([['Refer-To', '<sip:a@b']]), 400)
  assert.equal(await refer([['Refer-To', '<sip:a@b?Replaces=nonsense>']]), 400)
})

test('answers 481 to a NOTIFY without our REFER, 489 to another event', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const { outgoing } = await connect(net, alice, bob)
  const notify = async (event: string): Promise<number> => {
    const headers: [string, string][] = [
      ['Event', event],
      ['Subscription-State', 'active'],
    ]
    const response = outgoing.request('NOTIFY', { headers, contentType: 'message/sipfrag', body: 'SIP/2.0 200 OK' })
    await net.clock.advance(20)
    return (await response).status
  }
  assert.deepEqual([await notify('refer'), await notify('presence')], [481, 489])
})

test('INVITE with Replaces: passes on the named session (RFC 3891)', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const carol = net.agent('10.0.0.3')
  const { incoming, outgoing } = await connect(net, alice, bob)
  const { callId, localTag, remoteTag } = incoming
  const call = async (value: string): Promise<CallEnd> => {
    const caller = new CallEnd()
    carol.ua.invite({ uri: bob.uri, from: '<sip:carol@10.0.0.3>', sdp: 'offer', headers: [['Replaces', value]] }, caller.observer)
    await net.clock.advance(20)
    return caller
  }
  await call(`${callId};to-tag=${localTag};from-tag=${remoteTag}`)
  assert.equal(bob.invites.at(-1)?.replaces, incoming)
  const before = bob.invites.length
  assert.equal((await call(`${callId};to-tag=${localTag};from-tag=wrong`)).ends[0]?.status, 481)
  assert.equal((await call(`${callId};to-tag=${localTag};from-tag=${remoteTag};early-only`)).ends[0]?.status, 486)
  assert.equal((await call('nonsense')).ends[0]?.status, 400)
  assert.equal(bob.invites.length, before)
  assert.equal(outgoing.state, 'confirmed')
})

test('replaces an outgoing ringing call, not an incoming one', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = pair(net)
  const carol = net.agent('10.0.0.3')
  const { incoming, outgoing } = await dial(net, alice, bob)
  void incoming.progress(180)
  await net.clock.advance(20)
  const take = async (from: string, session: typeof incoming): Promise<CallEnd> => {
    const caller = new CallEnd()
    const value = `${session.callId};to-tag=${session.localTag};from-tag=${session.remoteTag};early-only`
    carol.ua.invite({ uri: `sip:x@${from}`, from: '<sip:carol@10.0.0.3>', sdp: 'offer', headers: [['Replaces', value]] }, caller.observer)
    await net.clock.advance(20)
    return caller
  }
  assert.equal((await take(bob.address, incoming)).ends[0]?.status, 481)
  assert.deepEqual((await take(alice.address, outgoing)).ends, [])
  assert.equal(alice.invites[0]?.replaces, outgoing)
})
