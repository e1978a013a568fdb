import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HeaderLines } from '@offhook/sip/message/build.ts'
import { buildRequest } from '@offhook/sip/message/build.ts'
import type { Request } from '@offhook/sip/message/message.ts'
import { parseMessage } from '@offhook/sip/message/parse.ts'
import type { Flow } from '@offhook/sip/transport/transport.ts'
import { trunkOf } from '../trunk/trunks.ts'
import { Edge, readFlow, writeFlow } from './authenticate.ts'

const requestWith = (headers: HeaderLines, from = '<sip:stranger@example.org>'): Request =>
  parseMessage(
    buildRequest('INVITE', 'sip:4930123@192.0.2.1', [
      ['Via', 'SIP/2.0/UDP 198.51.100.1;branch=z9hG4bK1'],
      ['Max-Forwards', '70'],
      ['From', `${from};tag=1`],
      ['To', '<sip:4930123@192.0.2.1>'],
      ['Call-ID', 'c'],
      ['CSeq', '1 INVITE'],
      ...headers,
    ]),
    { stream: false },
  ) as Request

const edge = new Edge((address) => address === '10.0.0.1')
const through: Flow = { kind: 'udp', address: '10.0.0.1', port: 5060 }
const outsider: Flow = { kind: 'udp', address: '198.51.100.1', port: 5060 }

test('writes and reads a flow', () => {
  for (const text of ['udp:203.0.113.7:5060', 'wss:[2001:db8::7]:443', 'tls:203.0.113.7:61000'])
    assert.equal(writeFlow(readFlow(text) ?? outsider), text)
  for (const text of [
    '',
    'udp',
    'udp:203.0.113.7',
    'sctp:203.0.113.7:5060',
    'udp:example.org:5060',
    'udp:203.0.113.7:70000',
    'udp:1.2.3.4:5:6',
  ])
    assert.equal(readFlow(text), undefined, text)
})

test('identifies a call that the edge sends to one process after the other', () => {
  const first = edge.attemptOf(requestWith([]), through)
  const again = edge.attemptOf(
    requestWith([
      ['X-Offhook-Again', '1'],
      ['X-Offhook-Again', '2'],
    ]),
    through,
  )
  assert.deepEqual([first?.number, again?.number], [0, 2])
  assert.equal(first?.edgeCall, again?.edgeCall)
  assert.equal(edge.attemptOf(requestWith([]), outsider), undefined)
})

test('accepts the source of a request only from the edge', () => {
  const request = requestWith([['X-Offhook-Edge', 'ws:203.0.113.7:61000']])
  assert.deepEqual(edge.sourceOf(request, through), { kind: 'ws', address: '203.0.113.7', port: 61_000 })
  assert.equal(edge.sourceOf(request, outsider), outsider)
  assert.equal(edge.sourceOf(requestWith([['X-Offhook-Edge', 'nonsense']]), through), through)
})

test("identifies a carrier by the edge's header behind the edge, otherwise by its address", () => {
  const asked: string[] = []
  const trunks = {
    find: ({ address }: Flow) => void asked.push(`at ${address}`),
    among: (ids: readonly string[], kind: string) => void asked.push(`${ids.join()} over ${kind}`),
  }
  const named = [
    ['X-Offhook-Trunk', 'one, two'],
    ['X-Offhook-Edge', 'tls:203.0.113.7:5061'],
  ] as const
  trunkOf(trunks, edge, { request: requestWith(named), from: through })
  trunkOf(trunks, edge, { request: requestWith([]), from: through })
  trunkOf(trunks, edge, { request: requestWith(named), from: outsider })
  trunkOf(trunks, edge, { request: requestWith(named, '<sip:1000001e0@example.org>'), from: through })
  assert.deepEqual(asked, ['one,two over tls', ' over udp', 'at 198.51.100.1'])
})
