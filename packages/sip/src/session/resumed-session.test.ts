import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { DigestClient } from '../digest/digest-client.ts'
import { CallEnd, connect } from '../testing/sip-call.ts'
import { headerOf, SipNetwork, type TestAgent } from '../testing/sip-network.ts'
import type { InviteDraft, Session, SessionTrace } from './session.ts'

/** Round trip through a database. */
const kept = (session: Session): SessionTrace => JSON.parse(JSON.stringify(session.trace ?? assert.fail('nothing to keep'))) as SessionTrace

/** Alice's process is gone, and another one at another address resumes her side of the call. */
const takenOver = async (t: TestContext, side: 'caller' | 'callee', draft: Partial<InviteDraft> = {}) => {
  const net = new SipNetwork(t)
  const [ours, theirs, heir] = [net.agent('10.0.0.1'), net.agent('10.0.0.2'), net.agent('10.0.0.3')]
  const call = side === 'caller' ? await connect(net, ours, theirs, draft) : await connect(net, theirs, ours, draft)
  const [lost, phone, phoneEnd] =
    side === 'caller' ? [call.outgoing, call.incoming, call.callee] : [call.incoming, call.outgoing, call.caller]
  const trace = kept(lost)
  lost.abandon()
  net.detach('10.0.0.1')
  const end = new CallEnd()
  const session = heir.ua.resume(trace, end.observer) ?? assert.fail('not resumed')
  return { net, heir, trace, end, session, phone, phoneEnd }
}

const offered = async (net: SipNetwork, session: Session, sdp: string | undefined) => {
  const result = session.offer(sdp)
  await net.clock.advance(50)
  return result
}

for (const side of ['caller', 'callee'] as const)
  test(`resumes a session in another process, as the ${side}`, async (t) => {
    const { net, trace, end, session, phone, phoneEnd } = await takenOver(t, side)
    assert.deepEqual(await offered(net, session, 'from here'), { status: 200, sdp: 'answer to from here' })
    assert.deepEqual(phoneEnd.told, ['offered from here'])
    const invite = net.passed.find(({ from, what }) => from === '10.0.0.3' && what === 'INVITE')?.text
    assert.equal(headerOf(invite, 'CSeq'), `${trace.cseq + 1_001} INVITE`)
    assert.equal(headerOf(invite, 'From'), trace.local)
    assert.match(headerOf(invite, 'Contact'), /@10\.0\.0\.3:5060>/)
    // All later requests of the phone reach the new process.
    const done = Promise.all([phone.info('text/plain', 'x'), phone.offer('hold')])
    await net.clock.advance(50)
    assert.deepEqual(await done, [200, { status: 200, sdp: 'answer to hold' }])
    void phone.refer('sip:carol@10.0.0.9')
    await net.clock.advance(50)
    assert.deepEqual(end.told, ['info x', 'offered hold', 'referred sip:carol@10.0.0.9'])
  })

test('ends a resumed session from either side', async (t) => {
  const one = await takenOver(t, 'caller')
  await offered(one.net, one.session, 'from here')
  void one.phone.end()
  await one.net.clock.advance(50)
  assert.deepEqual(one.end.told, ['ended by peer'])
  const other = await takenOver(t, 'callee')
  const over = other.session.end()
  await other.net.clock.advance(50)
  await over
  assert.deepEqual(other.phoneEnd.told, ['ended by peer'])
  assert.equal(other.heir.ua.load.sessions, 0)
})

test('resolves glare with a concurrent change of the far end', async (t) => {
  const { net, heir, session, phone, phoneEnd, end } = await takenOver(t, 'caller')
  // A proxy forwards messages for the dead process to its successor.
  net.attach('10.0.0.1', (bytes, from) => heir.ua.receive(bytes, from))
  const results = Promise.all([phone.offer('hold'), session.offer('from here')])
  await net.clock.advance(20)
  assert.deepEqual([net.count('491 INVITE', '10.0.0.2'), net.count('491 INVITE', '10.0.0.3')], [1, 1])
  await net.clock.advance(10_000)
  assert.deepEqual(
    (await results).map(({ status }) => status),
    [200, 200],
  )
  assert.deepEqual([phoneEnd.told, end.told], [['offered from here'], ['offered hold']])
})

test('ends a resumed session when the far end answers 481', async (t) => {
  const { net, session, phone, end } = await takenOver(t, 'callee')
  phone.abandon()
  assert.equal((await offered(net, session, 'from here')).status, 481)
  assert.deepEqual(end.told, ['ended by network 481'])
})

test('keeps the session timer and the refresher after a resume', async (t) => {
  const { net, session, trace } = await takenOver(t, 'caller')
  assert.deepEqual(trace.session?.timer, { interval: 1_800, ours: true, minSe: 90 })
  await offered(net, session, 'from here')
  const first = net.passed.find(({ from, what }) => from === '10.0.0.3' && what === 'INVITE')?.text
  assert.equal(headerOf(first, 'Session-Expires'), '1800;refresher=uac')
  net.passed.length = 0
  await net.clock.advance(901_000)
  assert.deepEqual(net.story, ['3>2 UPDATE', '2>3 200 UPDATE'])
  await net.clock.advance(1_800_000)
  assert.equal(session.state, 'confirmed')
})

test('keeps the route set after a resume; answers a challenge at the address of the INVITE', async (t) => {
  const net = new SipNetwork(t)
  const heir = net.agent('10.0.0.3')
  const edge = net.raw('10.0.0.4')
  const trace: SessionTrace = {
    callId: 'c',
    local: '<sip:us@a.example>;tag=1',
    remote: '<sip:them@b.example>;tag=2',
    target: 'sip:them@10.9.9.9',
    routes: ['<sip:10.0.0.4;lr>'],
    cseq: 7,
    trusted: '10.0.0.4',
    session: {
      direction: 'outgoing',
      contactUser: 'account',
      allowsUpdate: false,
      allowsRefer: true,
      timer: { ours: false, minSe: 90 },
    },
  }
  const digest = new DigestClient({ username: 'account', password: 'a long secret', realm: 'trunk' })
  const session = heir.ua.resume(trace, {}, digest) ?? assert.fail('not resumed')
  assert.equal(session.peerAllowsRefer, true)
  const result = session.offer('from here')
  await net.clock.advance(10)
  const answer = (text: string, status: string, more = ''): void => {
    const lines = ['Via', 'From', 'To', 'Call-ID', 'CSeq'].map((name) => `${name}: ${headerOf(text, name)}`).join('\n')
    edge.send('10.0.0.3', `SIP/2.0 ${status}\n${lines}\n${more}Content-Length: 0\n\n`)
  }
  const [first] = edge.received
  assert.match(first ?? '', /^INVITE sip:them@10\.9\.9\.9 SIP/)
  assert.match(headerOf(first, 'Contact'), /^<sip:account@10\.0\.0\.3/)
  answer(first ?? '', '407 Who', 'Proxy-Authenticate: Digest realm="trunk", nonce="n", algorithm=MD5\n')
  await net.clock.advance(10)
  const second = edge.received.findLast((text) => text.startsWith('INVITE')) ?? ''
  assert.match(headerOf(second, 'Proxy-Authorization'), /username="account"/)
  answer(second, '200 OK', 'Contact: <sip:them@10.9.9.9>\n')
  await net.clock.advance(10)
  assert.equal((await result).status, 200)
  assert.match(edge.received.at(-1) ?? '', /^ACK sip:them@10\.9\.9\.9/)
})

test('resumes only confirmed sessions that are not active here', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob]: [TestAgent, TestAgent] = [net.agent('10.0.0.1'), net.agent('10.0.0.2')]
  const { outgoing } = await connect(net, alice, bob)
  const trace = kept(outgoing)
  const { session: _, ...old } = trace
  assert.equal(bob.ua.resume(old, {}), undefined)
  assert.equal(alice.ua.resume(trace, {}), undefined)
})

test('resumes a resumed session again', async (t) => {
  const { net, session, phoneEnd } = await takenOver(t, 'callee')
  await offered(net, session, 'second')
  const trace = kept(session)
  const third = net.agent('10.0.0.5').ua.resume(trace, {}) ?? assert.fail('not resumed')
  session.abandon()
  assert.equal((await offered(net, third, 'third')).status, 200)
  assert.deepEqual(phoneEnd.told, ['offered second', 'offered third'])
})
