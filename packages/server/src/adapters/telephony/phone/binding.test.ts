import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Registration } from '#core/kernel/ports/store/device.ts'
import { buildRequest } from '@offhook/sip/message/build.ts'
import type { Request } from '@offhook/sip/message/message.ts'
import { parseMessage } from '@offhook/sip/message/parse.ts'
import type { Flow } from '@offhook/sip/transport/transport.ts'
import { bindingOf, wayBack, wayWithoutConnection } from './binding.ts'

const registered = (over: Partial<Registration>): Registration => ({
  contact: 'sip:anna@198.51.100.7:5062',
  path: '',
  q: '',
  ip: '198.51.100.7',
  via: '',
  origin: '198.51.100.7',
  port: 40_000,
  transport: 'udp',
  userAgent: '',
  callId: '',
  cseq: 1,
  expiresAt: 0,
  ...over,
})
const where = (over: Partial<Registration>, open = true): string => {
  const binding = bindingOf(registered(over), () => open)
  return binding ? [...binding.routes, written(binding.flow)].join(' ') : 'nowhere'
}
const written = ({ kind, address, port }: Flow): string => `${kind} ${address}:${port}`

test('calls a phone at its own address if it knows it', () => {
  assert.equal(where({}), 'udp 198.51.100.7:5062')
  assert.equal(where({ contact: 'sip:anna@198.51.100.7' }), 'udp 198.51.100.7:5060')
  assert.equal(where({ contact: 'sip:anna@198.51.100.7;transport=TCP' }), 'tcp 198.51.100.7:5060')
  assert.equal(where({ contact: 'sip:anna@[2001:db8::7]:5062', ip: '2001:db8::7' }), 'udp 2001:db8::7:5062')
})

test('calls a phone behind NAT at the source of its registration', () => {
  assert.equal(where({ contact: 'sip:anna@192.168.1.5' }), 'udp 198.51.100.7:40000')
  assert.equal(where({ contact: 'sip:anna@192.168.1.5', transport: 'tcp' }), 'tcp 198.51.100.7:40000')
})

test('ignores other hosts in a Contact and resolves no names', () => {
  for (const contact of ['sip:anna@phone.example', 'sip:anna@10.0.0.1:22;transport=tcp', 'sip:anna@198.51.100.7;maddr=10.0.0.1'])
    assert.equal(where({ contact }), 'udp 198.51.100.7:40000', contact)
})

test('uses an open connection, and reopens a closed one if possible', () => {
  assert.equal(where({ transport: 'tcp' }), 'tcp 198.51.100.7:40000')
  assert.equal(where({ transport: 'tcp' }, false), 'tcp 198.51.100.7:5062')
  assert.equal(where({ transport: 'tls', contact: 'sips:anna@198.51.100.7' }, false), 'tls 198.51.100.7:5061')
  assert.equal(where({ transport: 'tcp', contact: 'sip:anna@192.168.1.5' }, false), 'nowhere')
  assert.equal(where({ transport: 'tcp', contact: 'sip:anna@phone.example' }, false), 'nowhere')
  assert.equal(where({ transport: 'wss', contact: 'sip:x@a1b2.invalid;transport=ws' }), 'wss 198.51.100.7:40000')
  assert.equal(where({ transport: 'wss', contact: 'sip:x@198.51.100.7;transport=ws' }, false), 'nowhere')
})

test('calls a phone behind our edge through it, whatever its connection', () => {
  const route = '<sip:TOKEN@192.0.2.1:5066;transport=ws;lr;ob>'
  const over = { via: 'udp:10.0.0.1:5060', path: route, contact: 'sip:x@a1b2.invalid;transport=ws', transport: 'ws' }
  assert.equal(where(over, false), `${route} udp 10.0.0.1:5060`)
  assert.equal(where({ ...over, via: 'udp:[2001:db8::1]:5060' }, false), `${route} udp 2001:db8::1:5060`)
  assert.deepEqual(bindingOf(registered(over), () => false)?.phone, { kind: 'ws', address: '198.51.100.7', port: 40_000 })
})

test('calls a phone behind proxies through them, via the one that forwarded its registration', () => {
  const edges = ['<sip:198.51.100.7:5080;lr>', '<sip:inner.example;lr>']
  const contact = 'sip:anna@192.168.1.5'
  assert.equal(where({ path: edges.join(', '), contact }), `${edges.join(' ')} udp 198.51.100.7:5080`)
  assert.equal(where({ path: '<sip:edge.example;lr>', contact }), '<sip:edge.example;lr> udp 198.51.100.7:40000')
})

test('returns no binding for an invalid address', () => {
  for (const contact of ['tel:+4930', 'mailto:x', '']) assert.equal(where({ contact }), 'nowhere', contact)
})

test('answers a caller at its Contact, if that matches its source', () => {
  const back = (from: Partial<Flow>, ...headers: (readonly [string, string])[]): string => {
    const lines = [
      ['Via', 'SIP/2.0/UDP x;branch=z9hG4bK1'],
      ['From', '<sip:a@b>;tag=1'],
      ['To', '<sip:c@d>'],
      ['Call-ID', 'x'],
      ['CSeq', '1 INVITE'],
    ] as const
    const invite = parseMessage(buildRequest('INVITE', 'sip:c@d', [...lines, ...headers])) as Request
    return written(wayBack(invite, { kind: 'udp', address: '198.51.100.7', port: 40_000, ...from }))
  }
  assert.equal(back({}, ['Contact', '<sip:anna@198.51.100.7:5062>']), 'udp 198.51.100.7:5062')
  assert.equal(back({}, ['Contact', '<sip:anna@10.0.0.1>']), 'udp 198.51.100.7:40000')
  assert.equal(back({}), 'udp 198.51.100.7:40000')
  assert.equal(back({ kind: 'tcp' }, ['Contact', '<sip:anna@198.51.100.7>']), 'tcp 198.51.100.7:40000')
  const contact = ['Contact', '<sip:anna@10.0.0.1>'] as const
  assert.equal(back({ kind: 'tcp' }, contact, ['Record-Route', '<sip:198.51.100.7;lr>']), 'tcp 198.51.100.7:5060')
  assert.equal(back({}, contact, ['Record-Route', '<sip:198.51.100.7:5080;lr>, <sip:inner.example;lr>']), 'udp 198.51.100.7:5080')
  assert.equal(back({}, contact, ['Record-Route', '<sip:router.example;lr>']), 'udp 198.51.100.7:40000')
})

test('without connections reaches a phone where it listens, if its Contact matches its address', () => {
  const left = (kind: Flow['kind'], target: string, ...routes: string[]): string => {
    const way = wayWithoutConnection({ target, routes }, { kind, address: '198.51.100.7', port: 40_000 })
    return way ? written(way) : 'nowhere'
  }
  assert.equal(left('udp', 'sip:anna@192.168.1.5'), 'udp 198.51.100.7:40000')
  assert.equal(left('tcp', 'sip:anna@198.51.100.7:5062'), 'tcp 198.51.100.7:5062')
  assert.equal(left('tcp', 'sip:anna@192.168.1.5', '<sip:198.51.100.7:5080;lr>'), 'tcp 198.51.100.7:5080')
  assert.equal(left('tls', 'sips:anna@198.51.100.7'), 'tls 198.51.100.7:5061')
  assert.equal(left('tcp', 'sip:anna@192.168.1.5'), 'nowhere')
  assert.equal(left('wss', 'sip:x@a1b2.invalid;transport=ws'), 'nowhere')
})
