import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SipNetwork } from '../../../../test/support/sip-network.ts'
import type { SessionEnd } from './session.ts'

test('a call is answered and ended, and nothing is left', async (t) => {
  const net = new SipNetwork(t)
  const alice = net.agent('10.0.0.1')
  const bob = net.agent('10.0.0.2')
  const told: string[] = []
  const session = alice.ua.invite(
    { uri: bob.uri, from: '<sip:alice@10.0.0.1>', sdp: 'offer' },
    {
      progress: ({ status }) => void told.push(`progress ${status}`),
      answered: (sdp) => void told.push(`answered ${sdp}`),
      ended: (end: SessionEnd) => void told.push(`ended by ${end.by}`),
    },
  )
  await net.clock.advance(10)
  const call = bob.invites[0]!
  assert.equal(call.sdp, 'offer')
  const bobEnded: SessionEnd[] = []
  call.session.observe({ ended: (end) => void bobEnded.push(end) })
  await call.session.progress(180)
  const accepted = call.session.accept({ sdp: 'answer' })
  await net.clock.advance(10)
  assert.equal(await accepted, true)
  assert.equal(session.state, 'confirmed')
  const ending = session.end({ reason: 'Q.850;cause=16' })
  await net.clock.advance(10)
  await ending
  assert.deepEqual(told, ['progress 180', 'answered answer', 'ended by us'])
  assert.equal(bobEnded[0]?.by, 'peer')
  assert.equal(bobEnded[0]?.reason, 'Q.850;cause=16')
  assert.deepEqual(net.story, ['1>2 INVITE', '2>1 180 INVITE', '2>1 200 INVITE', '1>2 ACK', '1>2 BYE', '2>1 200 BYE'])
  await net.clock.advance(40_000)
  assert.deepEqual(alice.ua.load, { transactions: 0, sessions: 0 })
  assert.deepEqual(bob.ua.load, { transactions: 0, sessions: 0 })
  assert.equal(net.clock.pending(), 0)
})
