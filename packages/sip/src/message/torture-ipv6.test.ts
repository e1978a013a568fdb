import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSdp } from '../sdp/parse-sdp.ts'
import { judge, message, offer } from '../testing/sip-torture.ts'
import type { Trouble } from '../testing/sip-torture.ts'
import { parseUri } from '../grammar/uri.ts'

const ipv6: Trouble[] = [
  {
    what: '4.1 an IPv6 host',
    text: message('REGISTER', {}, { start: 'REGISTER sip:[2001:DB8::10] SIP/2.0' }),
    verdict: ({ target }) => assert.equal(target.host, '[2001:db8::10]'),
  },
  {
    what: '4.2 an IPv6 host without brackets',
    text: message('REGISTER', {}, { start: 'REGISTER sip:2001:db8::10 SIP/2.0' }),
    verdict: 400,
  },
  {
    what: '4.3 what looks like a port is part of the address',
    text: message('REGISTER', {}, { start: 'REGISTER sip:[2001:db8::10:5070] SIP/2.0' }),
    verdict: ({ target }) => assert.equal(target.port, undefined),
  },
  {
    what: '4.4 a port behind the brackets',
    text: message('REGISTER', {}, { start: 'REGISTER sip:[2001:db8::10]:5070 SIP/2.0' }),
    verdict: ({ target }) => assert.equal(target.port, 5070),
  },
  {
    what: '4.5 received with brackets',
    text: message('BYE', { Via: 'SIP/2.0/UDP [2001:db8::9:1];received=[2001:db8::9:255];branch=z9hG4bKa' }),
    verdict: ({ via }) => assert.deepEqual([via.params['received'], via.params['branch']], ['[2001:db8::9:255]', 'z9hG4bKa']),
  },
  {
    what: '4.5 received without brackets',
    text: message('BYE', { Via: 'SIP/2.0/UDP [2001:db8::9:1];received=2001:db8::9:255;branch=z9hG4bKa' }),
    verdict: ({ via }) => assert.deepEqual([via.params['received'], via.params['branch']], ['2001:db8::9:255', 'z9hG4bKa']),
  },
  {
    what: '4.6 IPv6 in the SDP',
    text: message('INVITE', {}, { body: offer.replaceAll('IP4 192.0.2.40', 'IP6 2001:db8::20') }),
    verdict: ({ body }) => assert.deepEqual(parseSdp(body).connection, { family: 'IP6', address: '2001:db8::20' }),
  },
  {
    what: '4.7 both families in one message',
    text: message('BYE', { Via: 'SIP/2.0/UDP [2001:db8::9:1]:6050;branch=z9hG4bKa' }, { lines: ['Via: SIP/2.0/UDP 192.0.2.1'] }),
    verdict: ({ via }) => assert.deepEqual([via.host, via.port], ['[2001:db8::9:1]', 6050]),
  },
  {
    what: '4.8 both families in one SDP',
    text: message('INVITE', {}, { body: `${offer}m=audio 4002 RTP/AVP 8\r\nc=IN IP6 2001:db8::1\r\n` }),
    verdict: ({ body }) =>
      assert.deepEqual(
        parseSdp(body).media.map(({ connection }) => connection?.family),
        ['IP4', 'IP6'],
      ),
  },
  {
    what: '4.9 IPv4 in IPv6',
    text: message('INVITE', { Via: 'SIP/2.0/UDP [::ffff:192.0.2.10]:19823;branch=z9hG4bKa', Contact: '<sip:a@[::ffff:192.0.2.2]>' }),
    verdict: (request) =>
      assert.deepEqual([request.via.host, parseUri(request.contacts[0]!.uri).host], ['[::ffff:192.0.2.10]', '[::ffff:192.0.2.2]']),
  },
  {
    what: '4.10 two colons before IPv4',
    text: message('OPTIONS', {}, { start: 'OPTIONS sip:desk@[2001:db8::192.0.2.1] SIP/2.0' }),
    verdict: ({ target }) => assert.equal(target.host, '[2001:db8::192.0.2.1]'),
  },
  {
    what: '4.10 three colons mean two',
    text: message('OPTIONS', {}, { start: 'OPTIONS sip:desk@[2001:db8:::192.0.2.1] SIP/2.0' }),
    verdict: ({ target }) => assert.equal(target.host, '[2001:db8::192.0.2.1]'),
  },
]

for (const trouble of ipv6) judge(trouble)

test('covers all kinds of RFC 5118', () => assert.equal(ipv6.length, 12))
