// test: chance
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect, dial } from '../testing/sip-call.ts'
import { SipNetwork } from '../testing/sip-network.ts'
import type { Passed } from '../testing/sip-network.ts'

const rounds = 6_000

/** A call with all kinds of messages, as input for mutations. */
const richCall = async (net: SipNetwork): Promise<Passed[]> => {
  const [alice, bob] = [net.agent('10.0.0.1'), net.agent('10.0.0.2')]
  const cancelled = await dial(net, alice, bob)
  void cancelled.incoming.progress(183, { sdp: 'early', reliable: true })
  await net.clock.advance(50)
  void cancelled.outgoing.end()
  await net.clock.advance(50)
  const before = [...net.passed]
  const { callee, incoming, outgoing } = await connect(net, alice, bob)
  void outgoing.offer('hold')
  void outgoing.info('application/dtmf-relay', 'Signal=1')
  void outgoing.refer('sip:carol@10.0.0.3', { replaces: outgoing })
  await net.clock.advance(50)
  callee.refers[0]?.notify(200)
  void incoming.offer('back', { method: 'UPDATE' })
  await net.clock.advance(50)
  void outgoing.end()
  await net.clock.advance(50)
  return [...before, ...net.passed]
}

const junk = [
  '',
  ' ',
  ';',
  ',',
  '"',
  '<',
  '<sip:',
  'sip:@',
  '99999999999',
  '-1',
  '0',
  '%00',
  '\u0000',
  'é',
  ';tag=',
  '1 INVITE',
  '*',
  'Digest ',
  '=',
  '?',
]

const spoil = (text: string, random: () => number): string => {
  const at = Math.floor(random() * text.length)
  const length = Math.floor(random() * 12)
  const word = junk[Math.floor(random() * junk.length)] ?? ''
  switch (Math.floor(random() * 5)) {
    case 0:
      return text.slice(0, at) + text.slice(at + length)
    case 1:
      return text.slice(0, at) + text.slice(at - length, at) + text.slice(at)
    case 2:
      return text.slice(0, at) + word + text.slice(at)
    case 3: {
      const lines = text.split('\r\n')
      const line = 1 + Math.floor(random() * (lines.length - 1))
      lines[line] = `${lines[line]?.split(':', 1)[0]}: ${word}`
      return lines.join('\r\n')
    }
    default:
      return text.slice(0, at) + String.fromCharCode(Math.floor(random() * 256)) + text.slice(at + 1)
  }
}

test(`survives ${rounds} mutated messages during calls without exceptions or leaks`, async (t) => {
  const messages = await richCall(new SipNetwork(t))
  const net = new SipNetwork(t, {}, 4711)
  const faults: unknown[] = []
  const onFault = (error: unknown): void => void faults.push(error)
  const [alice, bob] = [net.agent('10.0.0.1', { onFault }), net.agent('10.0.0.2', { onFault })]
  const types = new Set(messages.map(({ what }) => what))
  assert.ok(types.size >= 18, [...types].join(', '))
  let call = await connect(net, alice, bob)
  for (let round = 0; round < rounds; round++) {
    if (round % 200 === 199) {
      void call.outgoing.end()
      call = await connect(net, alice, bob)
      void call.outgoing.offer('hold')
    }
    const { text } = messages[Math.floor(net.random() * messages.length)]!
    const { callId, localTag, remoteTag = '' } = call.outgoing
    // Rewrites it to match the active call.
    const tags = [...text.matchAll(/;tag=([0-9a-f]+)/g)].map(([, tag]) => tag ?? '')
    const adapted = text
      .replace(/^Call-ID: .*/m, `Call-ID: ${callId}`)
      .replaceAll(tags[0] ?? '-', localTag)
      .replaceAll(tags[1] ?? '-', remoteTag)
    const spoiled = spoil(net.random() < 0.7 ? adapted : text, net.random)
    const [target, source] = net.random() < 0.5 ? [alice, bob] : [bob, alice]
    target.ua.receive(Buffer.from(spoiled, 'latin1'), { kind: 'udp', address: source.address, port: 5060 })
    if (round % 20 === 0) await net.clock.advance(20)
  }
  assert.deepEqual(faults, [])
  void call.outgoing.end()
  for (const invite of [...alice.invites, ...bob.invites]) void invite.session.end()
  await net.clock.advance(200_000)
  assert.deepEqual(faults, [])
  assert.deepEqual([alice.ua.load.transactions, bob.ua.load.transactions], [0, 0])
  assert.deepEqual([alice.ua.load.sessions, bob.ua.load.sessions], [0, 0])
})
