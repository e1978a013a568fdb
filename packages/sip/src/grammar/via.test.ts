import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SipError } from './scan.ts'
import { formatVia, parseVia, stampVia } from './headers.ts'

test('parses every form of a Via', () => {
  for (const [text, transport, host, port, branch] of [
    ['SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bKa', 'UDP', '192.0.2.1', 5060, 'z9hG4bKa'],
    ['SIP / 2.0 /\ttcp   Host.Example.ORG : 5070 ; branch = z9hG4bKb', 'TCP', 'host.example.org', 5070, 'z9hG4bKb'],
    ['SIP/2.0/WSS df7jal23ls0d.invalid;branch=z9hG4bKc', 'WSS', 'df7jal23ls0d.invalid', undefined, 'z9hG4bKc'],
    ['SIP/2.0/TLS [2001:DB8::9:1]:6050;branch=x', 'TLS', '[2001:db8::9:1]', 6050, 'x'],
    ['SIP/7.0/UDP c.example.org', 'UDP', 'c.example.org', undefined, undefined],
    ['sip/2.0/UNKNOWN a_b.example.org', 'UNKNOWN', 'a_b.example.org', undefined, undefined],
  ] as const) {
    const via = parseVia(text)
    assert.deepEqual([via.transport, via.host, via.port, via.params['branch']], [transport, host, port, branch], text)
  }
})

test('parses received with and without brackets', () => {
  assert.equal(parseVia('SIP/2.0/UDP [2001:db8::9:1];received=2001:db8::9:255;branch=a').params['received'], '2001:db8::9:255')
  assert.equal(parseVia('SIP/2.0/UDP [2001:db8::9:1];received=[2001:db8::9:255];branch=a').params['received'], '[2001:db8::9:255]')
})

test('rejects a malformed Via', () => {
  for (const text of [
    '',
    'SIP/2.0',
    'SIP/2.0/UDP',
    'SIP/2.0/ host',
    'SIP/2.0/UDP ;branch=x',
    'SIP/2.0/UDP host:',
    'SIP/2.0/UDP host:0',
    'SIP/2.0/UDP host:99999',
    'SIP/2.0/UDP host:5060x',
    'SIP/2.0/UDP host;;',
    'SIP/2.0/UDP host junk',
    'SIP/2.0/UDP [::1',
    'SIP/2.0/UDP [nonsense]',
    'SIP/2.0/UDP ho%st',
  ]) {
    assert.throws(
      () => parseVia(text),
      (error) => error instanceof SipError && error.status === 400,
      text,
    )
  }
})

test('adds the source address to the Via', () => {
  const stamped = (text: string, address: string): string => formatVia(stampVia(parseVia(text), { address, port: 40_000 }))
  assert.equal(stamped('SIP/2.0/UDP 192.0.2.1:5060;branch=a', '192.0.2.1'), 'SIP/2.0/UDP 192.0.2.1:5060;branch=a')
  assert.equal(stamped('SIP/2.0/UDP 10.0.0.1;branch=a', '192.0.2.1'), 'SIP/2.0/UDP 10.0.0.1;branch=a;received=192.0.2.1')
  assert.equal(
    stamped('SIP/2.0/UDP 192.0.2.1;rport;branch=a', '192.0.2.1'),
    'SIP/2.0/UDP 192.0.2.1;rport=40000;branch=a;received=192.0.2.1',
  )
  assert.equal(stamped('SIP/2.0/TCP [::1]:5060;branch=a', '::1'), 'SIP/2.0/TCP [::1]:5060;branch=a')
  assert.equal(stamped('SIP/2.0/UDP h;rport=1;received=203.0.113.1', '2001:db8::1'), 'SIP/2.0/UDP h;rport=40000;received=2001:db8::1')
})
