import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Registration } from '../../core/ports/store/registrations.ts'
import type { Flow } from '../../sip/transport.ts'
import { mustStayOn, placeOf } from './phone-place.ts'

const registered = (over: Partial<Registration>): Registration => ({
  contact: 'sip:anna@198.51.100.7:5062',
  path: '',
  q: '',
  ip: '198.51.100.7',
  port: 40_000,
  transport: 'udp',
  userAgent: '',
  callId: '',
  cseq: 1,
  expiresAt: 0,
  ...over,
})
const where = (over: Partial<Registration>, open = true): string => {
  const place = placeOf(registered(over), () => open)
  if (!place) return 'nowhere'
  return place.flow ? `${place.flow.kind} ${place.flow.address}:${place.flow.port}` : [...place.routes, place.uri].join(' ')
}

test('a phone that knows its address is called there', () => {
  assert.equal(where({}), 'sip:anna@198.51.100.7:5062')
  assert.equal(where({ contact: 'sip:anna@phone.example' }), 'sip:anna@phone.example')
})

test('a phone behind NAT is called where its registration came from', () => {
  assert.equal(where({ contact: 'sip:anna@192.168.1.5' }), 'udp 198.51.100.7:40000')
  assert.equal(where({ contact: 'sip:anna@192.168.1.5', transport: 'tcp' }), 'tcp 198.51.100.7:40000')
})

test('a connection that is open is used, one that is gone is opened again if that is possible', () => {
  assert.equal(where({ transport: 'tcp' }), 'tcp 198.51.100.7:40000')
  assert.equal(where({ transport: 'tcp' }, false), 'sip:anna@198.51.100.7:5062')
  assert.equal(where({ transport: 'tcp', contact: 'sip:anna@192.168.1.5' }, false), 'nowhere')
  assert.equal(where({ transport: 'wss', contact: 'sip:x@a1b2.invalid;transport=ws' }), 'wss 198.51.100.7:40000')
  assert.equal(where({ transport: 'wss', contact: 'sip:x@198.51.100.7' }, false), 'nowhere')
})

test('a phone behind proxies is called through them', () => {
  const path = '<sip:edge.example;lr>'
  assert.equal(where({ path, contact: 'sip:anna@192.168.1.5' }), `${path} sip:anna@192.168.1.5`)
})

test('what is no address is nowhere', () => {
  for (const contact of ['tel:+4930', 'mailto:x', '']) assert.equal(where({ contact }), 'nowhere', contact)
})

test('a caller is answered where it came from when its contact leads elsewhere', () => {
  const from: Flow = { kind: 'udp', address: '198.51.100.7', port: 5062 }
  assert.equal(mustStayOn(from, 'sip:anna@198.51.100.7'), false)
  assert.equal(mustStayOn(from, 'sip:anna@10.0.0.1'), true)
  assert.equal(mustStayOn(from, undefined), true)
  assert.equal(mustStayOn({ ...from, kind: 'tcp' }, 'sip:anna@198.51.100.7'), true)
})
