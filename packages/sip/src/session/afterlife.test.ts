import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { connect } from '../testing/sip-call.ts'
import { SipNetwork } from '../testing/sip-network.ts'
import type { TestAgent } from '../testing/sip-network.ts'

const collectGarbage = async (): Promise<void> => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let turn = 0; turn < 3; turn++) {
    collect()
    await setImmediate() // a deref'd WeakRef target lives until the end of the turn
  }
}

/** A call that has ended. */
const past = async (net: SipNetwork, alice: TestAgent, bob: TestAgent): Promise<{ observers: WeakRef<object>[]; messages: string[] }> => {
  const { caller, callee, outgoing } = await connect(net, alice, bob)
  const over = outgoing.end()
  await net.clock.advance(100)
  await over
  bob.invites.length = 0
  return { observers: [new WeakRef(caller.observer), new WeakRef(callee.observer)], messages: net.passed.map(({ text }) => text) }
}

test('answers retransmissions after the call without retaining it', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = [net.agent('10.0.0.1'), net.agent('10.0.0.2')]
  const { observers, messages } = await past(net, alice, bob)
  assert.deepEqual(bob.ua.load, { transactions: 2, sessions: 0 })
  await collectGarbage()
  assert.deepEqual(
    observers.map((observer) => observer.deref()),
    [undefined, undefined],
  )
  const bye = messages.find((text) => text.startsWith('BYE')) ?? ''
  net.passed.length = 0
  bob.ua.receive(Buffer.from(bye), { kind: 'udp', address: '10.0.0.1', port: 5060 })
  await net.clock.advance(100)
  assert.match(net.passed[0]?.text ?? '', /^SIP\/2\.0 200 [^]*CSeq: \d+ BYE/)
  await net.clock.advance(32_000)
  for (const { ua } of [alice, bob]) assert.deepEqual(ua.load, { transactions: 0, sessions: 0 })
  assert.equal(net.clock.pending(), 0)
})
