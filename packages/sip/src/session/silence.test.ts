import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CallEnd } from '../testing/sip-call.ts'
import { headerOf, SipNetwork, type RawPeer } from '../testing/sip-network.ts'
import type { Flow } from '../transport/transport.ts'

const draft = { uri: 'sip:bob@10.0.0.2', from: '<sip:alice@10.0.0.1>', sdp: 'offer', silenceMs: 4_000 }

const answer = (peer: RawPeer, status: number, tag = ''): string => {
  const invite = peer.received.find((text) => text.startsWith('INVITE'))
  const copied = ['Via', 'From', 'Call-ID', 'CSeq'].map((name) => `${name}: ${headerOf(invite, name)}`)
  return [`SIP/2.0 ${status} Whatever`, ...copied, `To: ${headerOf(invite, 'To')}${tag}`, 'Content-Length: 0', '', ''].join('\n')
}

test('gives up a silent callee in time and cancels it if it responds late', async (t) => {
  const net = new SipNetwork(t)
  const { ua } = net.agent('10.0.0.1')
  const swallowing = net.raw('10.0.0.2')
  const caller = new CallEnd()
  ua.invite(draft, caller.observer)
  await net.clock.advance(3_999)
  assert.deepEqual(caller.told, [])
  await net.clock.advance(2)
  assert.deepEqual(caller.told, ['ended by network 408'])
  swallowing.send('10.0.0.1', answer(swallowing, 180, ';tag=late'))
  await net.clock.advance(10)
  assert.equal(net.count('CANCEL'), 1, 'or it would ring on')
  await net.clock.advance(70_000)
  assert.deepEqual(ua.load, { transactions: 0, sessions: 0 })
  assert.equal(net.clock.pending(), 0)
})

test('keeps waiting for the callee after a 100', async (t) => {
  const net = new SipNetwork(t)
  const { ua } = net.agent('10.0.0.1')
  const slow = net.raw('10.0.0.2')
  const caller = new CallEnd()
  const session = ua.invite(draft, caller.observer)
  await net.clock.advance(3_000)
  slow.send('10.0.0.1', answer(slow, 100))
  await net.clock.advance(60_000)
  assert.deepEqual(caller.told, [])
  void session.end()
  await net.clock.advance(70_000)
  assert.equal(net.clock.pending(), 0)
})

test('tries another address of the same peer first', async (t) => {
  const net = new SipNetwork(t)
  const flows: Flow[] = ['10.0.0.2', '10.0.0.3'].map((address) => ({ kind: 'udp', address, port: 5060 }))
  const { ua } = net.agent('10.0.0.1', { resolve: async () => flows })
  net.raw('10.0.0.2')
  const second = net.agent('10.0.0.3')
  const caller = new CallEnd()
  ua.invite(draft, caller.observer)
  await net.clock.advance(4_010)
  second.invites[0]?.session.reject(486)
  await net.clock.advance(100)
  assert.deepEqual(caller.told, ['ended by peer 486'])
})
