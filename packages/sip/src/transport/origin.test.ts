import assert from 'node:assert/strict'
import { test } from 'node:test'
import { originOf, registeredOrigin } from './origin.ts'
import { parseMessage } from '../message/parse.ts'

const isProxy = (address: string): boolean => address.startsWith('10.0.0.')
const proxy = { kind: 'udp', address: '10.0.0.1', port: 5060 } as const
const phone = { kind: 'udp', address: '203.0.113.7', port: 61_000 } as const

const message = (first: string, lines: readonly string[]) => {
  const common = ['From: <sip:a@example.org>;tag=1', 'To: <sip:b@example.org>', 'Call-ID: 1', 'CSeq: 1 INVITE', 'Content-Length: 0']
  return parseMessage(Buffer.from([first, ...lines, ...common, '', ''].join('\r\n')))
}
const request = (...lines: string[]) => message('INVITE sip:b@example.org SIP/2.0', lines)
const response = (...lines: string[]) => message('SIP/2.0 200 OK', ['Via: SIP/2.0/UDP 10.0.0.11;branch=z9hG4bK1', ...lines])
const via = (host: string, more = ''): string => `Via: SIP/2.0/UDP ${host};branch=z9hG4bK2${more}`
const ours = via('10.0.0.1')

test('takes the source address as origin without our proxy, ignoring the message', () => {
  assert.equal(originOf(request(via('10.0.0.9'), via('192.0.2.1', ';received=192.0.2.2')), phone, isProxy), '203.0.113.7')
  assert.equal(originOf(response('Contact: <sip:b@192.168.1.5;alias=192.0.2.9~5060~1>'), phone, isProxy), '203.0.113.7')
})

test('takes the address seen by our outermost proxy as origin, never the proxy itself', () => {
  const seen = (...lines: string[]) => originOf(request(ours, ...lines), proxy, isProxy)
  assert.equal(seen(via('192.168.1.5:5060', ';rport=61000;received=203.0.113.7')), '203.0.113.7')
  assert.equal(seen(via('203.0.113.7')), '203.0.113.7', 'it named its address itself')
  assert.equal(seen(via('10.0.0.2'), via('phone.invalid', ';received=203.0.113.7'), via('192.0.2.1')), '203.0.113.7', 'two of ours')
  assert.equal(seen(via('[2001:db8::5]')), '2001:db8::5')
  assert.equal(seen(via('phone.invalid')), undefined)
  assert.equal(seen(), undefined)
  assert.equal(seen('Contact: <sip:a@192.168.1.5;alias=203.0.113.7~61000~1>'), '203.0.113.7')
})

test('takes the origin from the alias in the Contact of a response', () => {
  assert.equal(originOf(response('Contact: <sip:b@192.168.1.5;alias=203.0.113.7~61000~1>'), proxy, isProxy), '203.0.113.7')
  for (const contact of ['<sip:b@192.168.1.5>', '<sip:b@192.168.1.5;alias=nonsense>'])
    assert.equal(originOf(response(`Contact: ${contact}`), proxy, isProxy), undefined)
  assert.equal(originOf(response(), proxy, isProxy), undefined)
})

test('takes the origin from the Path of a REGISTER', () => {
  const path = (value: string) => registeredOrigin(request(ours, `Path: ${value}`), proxy, isProxy)
  assert.equal(path('<sip:10.0.0.1;lr;received=sip:203.0.113.7:61000%3Btransport%3Dudp>'), '203.0.113.7')
  assert.equal(path('<sip:10.0.0.1;lr>, <sip:10.0.0.2;lr;received="sip:203.0.113.7:61000">'), undefined)
  assert.equal(registeredOrigin(request(via('192.0.2.1'), 'Path: <sip:x;received=sip:192.0.2.9>'), phone, isProxy), '203.0.113.7')
})
