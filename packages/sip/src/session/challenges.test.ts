import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CallEnd, connect } from '../testing/sip-call.ts'
import { headerOf, SipNetwork } from '../testing/sip-network.ts'
import type { TestAgent } from '../testing/sip-network.ts'
import { DigestClient } from '../digest/digest-client.ts'
import { DigestServer } from '../digest/digest-server.ts'
import type { HeaderLines } from '../message/build.ts'
import type { IncomingInvite } from '../user-agent/user-agent-options.ts'

const secret = { password: 'a long secret' }

/** A callee that accepts only calls with the right password. */
const guarded = (net: SipNetwork, address: string, realm = 'trunk'): TestAgent & { accepted: IncomingInvite[] } => {
  const digest = new DigestServer({ realm, key: Buffer.alloc(32, 1), now: () => net.clock.now() })
  const accepted: IncomingInvite[] = []
  const challenge = (): HeaderLines => digest.challenges().map((value) => ['WWW-Authenticate', value] as const)
  const agent = net.agent(address, {
    onInvite: (invite) => {
      const claim = digest.claim(invite.request.lines('authorization'))
      if (!claim || digest.check(claim, invite.request, secret) !== 'right') return invite.session.reject(401, challenge())
      accepted.push(invite)
      void invite.session.accept({ sdp: 'answer' })
    },
  })
  return { ...agent, accepted }
}

const client = (realm?: string): DigestClient => new DigestClient({ username: 'alice', ...secret, realm })

const call = (from: TestAgent, to: TestAgent, digest: DigestClient | undefined): CallEnd => {
  const caller = new CallEnd()
  from.ua.invite({ uri: to.uri, from: '<sip:alice@10.0.0.1>', sdp: 'offer', digest }, caller.observer)
  return caller
}

test('repeats the INVITE with credentials and adds them to the ACK', async (t) => {
  const net = new SipNetwork(t)
  const [alice, trunk] = [net.agent('10.0.0.1'), guarded(net, '10.0.0.2')]
  const caller = call(alice, trunk, client())
  await net.clock.advance(50)
  assert.deepEqual(caller.told, ['answered answer'])
  const [first, second] = net.passed.filter(({ what }) => what === 'INVITE').map(({ text }) => text)
  assert.equal(headerOf(first, 'Call-ID'), headerOf(second, 'Call-ID'))
  assert.deepEqual([headerOf(first, 'CSeq'), headerOf(second, 'CSeq')], ['1 INVITE', '2 INVITE'])
  assert.equal(headerOf(first, 'Authorization'), '')
  const ack = net.passed.findLast(({ what }) => what === 'ACK')?.text
  assert.match(headerOf(ack, 'Authorization'), /^Digest username="alice"/)
  assert.equal(headerOf(ack, 'CSeq'), '2 ACK')
})

test('reuses credentials for the next call of the same client', async (t) => {
  const net = new SipNetwork(t)
  const [alice, trunk] = [net.agent('10.0.0.1'), guarded(net, '10.0.0.2')]
  const digest = client()
  call(alice, trunk, digest)
  await net.clock.advance(50)
  net.passed.length = 0
  call(alice, trunk, digest)
  await net.clock.advance(50)
  assert.deepEqual(net.story, ['1>2 INVITE', '2>1 200 INVITE', '1>2 ACK'])
  assert.equal(trunk.accepted.length, 2)
})

test('retries after a stale nonce', async (t) => {
  const net = new SipNetwork(t)
  const [alice, trunk] = [net.agent('10.0.0.1'), guarded(net, '10.0.0.2')]
  const digest = client()
  call(alice, trunk, digest)
  await net.clock.advance(100_000)
  const caller = call(alice, trunk, digest)
  await net.clock.advance(50)
  assert.deepEqual(caller.told, ['answered answer'])
})

test('fails with 401 on a wrong secret, no secret or another realm; sends credentials at most once', async (t) => {
  const wrong = new DigestClient({ username: 'alice', password: 'guess' })
  for (const [digest, invites] of [
    [wrong, 2],
    [undefined, 1],
    [client('somewhere else'), 1],
  ] as const) {
    const net = new SipNetwork(t)
    const [alice, trunk] = [net.agent('10.0.0.1'), guarded(net, '10.0.0.2')]
    const caller = call(alice, trunk, digest)
    await net.clock.advance(50)
    assert.equal(caller.ends[0]?.status, 401)
    assert.equal(net.count('INVITE'), invites)
  }
})

let nonces = 0

/** Answers the last request to a raw peer with a challenge. */
const challengeLast = (received: string[], status: number, realm: string): string => {
  const copied = ['Via', 'From', 'To', 'Call-ID', 'CSeq'].map((name) => `${name}: ${headerOf(received.at(-1), name)}\n`).join('')
  const header = status === 407 ? 'Proxy-Authenticate' : 'WWW-Authenticate'
  return `SIP/2.0 ${status} No\n${copied}${header}: Digest realm="${realm}", nonce="n${++nonces}", algorithm=MD5, qop="auth"\nContent-Length: 0\n\n`
}

const establishWithRaw = async (net: SipNetwork, contact: string) => {
  const alice = net.agent('10.0.0.1')
  const peer = net.raw('10.0.0.2')
  const session = alice.ua.invite({ uri: 'sip:b@10.0.0.2', from: '<sip:a@10.0.0.1>', sdp: 'offer', digest: client('trunk') }, {})
  await net.clock.advance(10)
  peer.send('10.0.0.1', challengeLast(peer.received, 407, 'trunk'))
  await net.clock.advance(10)
  const copied = ['Via', 'From', 'Call-ID', 'CSeq'].map((name) => `${name}: ${headerOf(peer.received.at(-1), name)}\n`).join('')
  const to = `To: <sip:b@10.0.0.2>;tag=b\nContact: <sip:b@${contact}>\nContent-Type: application/sdp\nContent-Length: 6\n\nanswer`
  peer.send('10.0.0.1', `SIP/2.0 200 OK\n${copied}${to}`)
  await net.clock.advance(10)
  assert.equal(session.state, 'confirmed')
  return { alice, peer, session }
}

test('adds credentials to a challenged BYE and re-INVITE to the host of the INVITE', async (t) => {
  const net = new SipNetwork(t)
  const { peer, session } = await establishWithRaw(net, '10.0.0.2')
  void session.offer('hold')
  await net.clock.advance(10)
  assert.match(peer.received.at(-1)!, /^Proxy-Authorization: .*nc=00000002/m, 'the old nonce is tried first')
  peer.send('10.0.0.1', challengeLast(peer.received, 407, 'trunk'))
  await net.clock.advance(10)
  assert.match(peer.received.at(-1)!, /^INVITE [^]*^Proxy-Authorization: .*realm="trunk".*nc=00000001/m)
  void session.end()
  await net.clock.advance(10)
  const before = headerOf(peer.received.at(-1), 'CSeq')
  peer.send('10.0.0.1', challengeLast(peer.received, 401, 'trunk'))
  await net.clock.advance(10)
  assert.match(peer.received.at(-1)!, /^BYE [^]*^Authorization: Digest [^]*realm="trunk"/m)
  assert.equal(Number.parseInt(headerOf(peer.received.at(-1), 'CSeq')), Number.parseInt(before) + 1)
})

test('sends no credentials to another host of the dialog, for any realm', async (t) => {
  const net = new SipNetwork(t)
  const outsider = net.raw('10.0.0.66')
  const { session } = await establishWithRaw(net, '10.0.0.66')
  const ended = session.end()
  await net.clock.advance(10)
  assert.match(outsider.received.at(-1)!, /^BYE/)
  outsider.send('10.0.0.1', challengeLast(outsider.received, 407, 'trunk'))
  await net.clock.advance(10)
  await ended
  assert.equal(outsider.received.filter((text) => text.startsWith('BYE')).length, 1)
  assert.ok(outsider.received.every((text) => !/Authorization/.test(text) || text.startsWith('ACK')))
})

test('answers challenges outside of dialogs', async (t) => {
  const net = new SipNetwork(t)
  const digest = new DigestServer({ realm: 'home', key: Buffer.alloc(32, 2), now: () => net.clock.now() })
  const server = net.agent('10.0.0.2', {
    methods: ['REGISTER'],
    onRequest: (incoming) => {
      const claim = digest.claim(incoming.request.lines('authorization'))
      const right = claim && digest.check(claim, incoming.request, secret) === 'right'
      incoming.respond(right ? 200 : 401, {
        headers: right ? [] : digest.challenges().map((value) => ['WWW-Authenticate', value] as const),
      })
    },
  })
  const alice = net.agent('10.0.0.1')
  const draft = { method: 'REGISTER', uri: `sip:${server.address}`, from: '<sip:alice@10.0.0.2>' }
  const good = alice.ua.request({ ...draft, digest: client() })
  const bad = alice.ua.request(draft)
  await net.clock.advance(50)
  assert.deepEqual([(await good).status, (await bad).status], [200, 401])
  assert.equal((await good).cseq.number, 2)
})

test('keeps the call when credentials for a change are rejected', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = [net.agent('10.0.0.1'), net.agent('10.0.0.2')]
  const { callee, outgoing } = await connect(net, alice, bob)
  callee.reply = () => ({ status: 401, headers: [['WWW-Authenticate', 'Digest realm="x", nonce="y"']] })
  const change = outgoing.offer('hold')
  await net.clock.advance(50)
  assert.equal((await change).status, 401)
  assert.equal(outgoing.state, 'confirmed')
})
