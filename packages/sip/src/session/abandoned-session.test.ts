import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect, dial } from '../testing/sip-call.ts'
import { SipNetwork } from '../testing/sip-network.ts'

test('an abandoned session says nothing, whatever was under way', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = [net.agent('10.0.0.1'), net.agent('10.0.0.2')]
  const { caller, callee, outgoing, incoming } = await connect(net, alice, bob)
  // An offer of the far end that is not answered yet, and a request of ours that gets no response.
  const { promise, resolve } = Promise.withResolvers<{ sdp: string }>()
  caller.reply = () => promise
  const theirs = incoming.offer('hold')
  await net.clock.advance(20)
  net.drops = ({ from }) => from === '10.0.0.2'
  const ours = outgoing.info('text/plain', 'x')
  await net.clock.advance(20)
  const before = net.passed.filter(({ from }) => from === '10.0.0.1').length
  outgoing.abandon()
  resolve({ sdp: 'answer' })
  assert.ok((await ours) >= 300)
  assert.deepEqual((await outgoing.ended).by, 'us')
  await net.clock.advance(31_000)
  assert.equal(net.passed.filter(({ from }) => from === '10.0.0.1').length, before)
  assert.deepEqual(
    callee.told.filter((notified) => notified.startsWith('ended')),
    [],
  )
  assert.equal(alice.ua.load.sessions, 0)
  await net.clock.advance(60_000)
  assert.equal((await theirs).status, 408)
})

test('requests for an abandoned session are answered like those for one that was never here', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = [net.agent('10.0.0.1'), net.agent('10.0.0.2')]
  const { outgoing, incoming } = await connect(net, alice, bob)
  outgoing.abandon()
  const listeners = incoming.info('text/plain', 'x')
  await net.clock.advance(50)
  assert.equal(await listeners, 481)
})

test('an incoming session that nobody answered leaves no transaction when it is abandoned', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = [net.agent('10.0.0.1'), net.agent('10.0.0.2')]
  const { incoming, outgoing } = await dial(net, alice, bob)
  incoming.abandon()
  outgoing.abandon()
  await net.clock.advance(40_000)
  assert.deepEqual(
    [alice.ua.load, bob.ua.load],
    [
      { transactions: 0, sessions: 0 },
      { transactions: 0, sessions: 0 },
    ],
  )
})

test('while in doubt nothing is sent, and what comes waits; then only those speak that still may', async (t) => {
  const net = new SipNetwork(t)
  let doubt: Promise<void> | undefined
  const [alice, bob] = [net.agent('10.0.0.1', { hesitates: () => doubt }), net.agent('10.0.0.2')]
  const kept = await connect(net, alice, bob)
  const lost = await connect(net, alice, bob)
  const { promise, resolve } = Promise.withResolvers<void>()
  doubt = promise
  // It seems to be time to hang up here, and the phones want something.
  const ends = Promise.all([kept.outgoing.end(), lost.outgoing.end()])
  const asked = kept.incoming.info('text/plain', 'x')
  await net.clock.advance(3_000)
  assert.equal(net.passed.filter(({ from }) => from === '10.0.0.1').length, 0)
  lost.outgoing.abandon()
  doubt = undefined
  resolve()
  await net.clock.advance(5_000)
  await ends
  assert.deepEqual([kept.callee.told, lost.callee.told], [['ended by peer'], []])
  assert.equal(net.count('BYE', '10.0.0.1'), 1)
  assert.ok((await asked) >= 200)
  assert.equal(alice.ua.load.sessions, 0)
})
