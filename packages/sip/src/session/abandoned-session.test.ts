import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect, dial } from '../testing/sip-call.ts'
import { SipNetwork } from '../testing/sip-network.ts'

test('an abandoned session sends no more messages, even with pending requests', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = [net.agent('10.0.0.1'), net.agent('10.0.0.2')]
  const { caller, callee, outgoing, incoming } = await connect(net, alice, bob)
  // Our pending request, and the far end's pending offer.
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

test('answers 481 to requests for an abandoned session', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = [net.agent('10.0.0.1'), net.agent('10.0.0.2')]
  const { outgoing, incoming } = await connect(net, alice, bob)
  outgoing.abandon()
  const listeners = incoming.info('text/plain', 'x')
  await net.clock.advance(50)
  assert.equal(await listeners, 481)
})

test('an abandoned unanswered session leaves no transaction', async (t) => {
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

test('holds messages in both directions while ownership is uncertain; abandoned sessions stay silent', async (t) => {
  const net = new SipNetwork(t)
  let doubt: Promise<void> | undefined
  const [alice, bob] = [net.agent('10.0.0.1', { hesitates: () => doubt }), net.agent('10.0.0.2')]
  const kept = await connect(net, alice, bob)
  const lost = await connect(net, alice, bob)
  const { promise, resolve } = Promise.withResolvers<void>()
  doubt = promise
  // Hangs up here while the phones send requests.
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

test('checks the ownership once per message', async (t) => {
  const net = new SipNetwork(t)
  let asked = 0
  const hesitates = (): Promise<void> | undefined => (++asked < 100 ? Promise.resolve() : undefined)
  const [alice, bob] = [net.agent('10.0.0.1'), net.agent('10.0.0.2', { hesitates })]
  const response = alice.ua.request({ method: 'OPTIONS', uri: `${bob.uri};transport=tcp`, from: 'sip:alice@10.0.0.1', to: bob.uri })
  await net.clock.advance(10)
  assert.ok((await response).status >= 200)
  assert.equal(asked, 2, 'for the request and for its response')
})
