import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SipError } from './scan.ts'
import { sameUri, formatUri, makeUri, parseUri } from './uri.ts'

const refuses = (text: string, status: number): void =>
  assert.throws(
    () => parseUri(text),
    (error) => error instanceof SipError && error.status === status,
    text,
  )

test('parses all parts of a URI', () => {
  const uri = parseUri('SIP:an%6Ea;x=1:se%3Acret@Example.ORG:5070;transport=TCP;lr;n%61me=v%2541?Subject=a%20b&Priority=urgent')
  assert.deepEqual(
    { ...uri, params: { ...uri.params }, headers: { ...uri.headers } },
    {
      scheme: 'sip',
      user: 'anna;x=1',
      password: 'se:cret',
      host: 'example.org',
      port: 5070,
      params: { transport: 'TCP', lr: '', name: 'v%41' },
      headers: { subject: 'a b', priority: 'urgent' },
    },
  )
  assert.equal(uri.params['constructor'], undefined)
})

test('parses hosts: names, IPv4, IPv6 with and without port', () => {
  for (const [text, host, port] of [
    ['sip:example.org', 'example.org', undefined],
    ['sips:192.0.2.1:5061', '192.0.2.1', 5061],
    ['sip:[2001:DB8::10:5070]', '[2001:db8::10:5070]', undefined],
    ['sip:x@[2001:db8::10]:5070', '[2001:db8::10]', 5070],
    ['sip:x@[::ffff:192.0.2.2]', '[::ffff:192.0.2.2]', undefined],
    ['sip:x@[2001:db8:::192.0.2.1]', '[2001:db8::192.0.2.1]', undefined],
    ['sip:x@under_score.example', 'under_score.example', undefined],
  ] as const) {
    assert.deepEqual([parseUri(text).host, parseUri(text).port], [host, port], text)
  }
})

test('removes separators from tel numbers', () => {
  const uri = parseUri('tel:+49-(211).12#;phone-context=example.org')
  assert.deepEqual([uri.scheme, uri.user, uri.host, uri.params['phone-context']], ['tel', '+4921112#', '', 'example.org'])
})

test('throws 400 for a malformed URI, 416 for an unknown scheme', () => {
  for (const text of [
    '',
    'sip',
    ':x',
    'sip:',
    'sip:@example.org',
    'sip:a b@example.org',
    'sip:<a>@example.org',
    'sip:a@b@example.org',
    'sip:2001:db8::10',
    'sip:x@[2001:db8::g]',
    'sip:x@[2001:db8::1',
    'sip:x@[fe80::1%eth0]',
    'sip:example.org:0',
    'sip:example.org:65536',
    'sip:example.org:',
    'sip:example.org:5o60',
    'sip:exa$mple.org',
    'sip:%4@example.org',
    'sip:%zz@example.org',
    'sip:%ff@example.org',
    'sip:example.org;;lr',
    'sip:example.org;=x',
    'sip:example.org?',
    'sip:a\r\nb@example.org',
    'tel:',
    'tel:+',
    'tel:12x',
    'tel:1+2',
    '1sip:x',
  ]) {
    refuses(text, 400)
  }
  refuses('mailto:a@example.org', 416)
  refuses('soap.beep://192.0.2.1', 416)
  refuses('http://example.org/', 416)
})

test('accepts an unescaped @ in the headers, where phones put a Call-ID', () => {
  const uri = parseUri('sip:bob@192.0.2.1?Replaces=123@192.0.2.9%3Bto-tag%3Da%3Bfrom-tag%3Db')
  assert.equal(uri.host, '192.0.2.1')
  assert.equal(uri.headers['replaces'], '123@192.0.2.9;to-tag=a;from-tag=b')
})

test('formats a parsed URI with the same meaning', () => {
  for (const text of [
    'sip:anna@example.org',
    'sip:an%20na%40home:p%3Aw@example.org:5070;transport=tcp;lr;odd=%3B%3D?subject=a%26b%3D',
    'sips:1_x.~(a!b)&c+$/?,;*@[2001:db8::1]:5061',
    'tel:+49211123;phone-context=+49',
    'sip:%00%C3%BC@example.org',
  ]) {
    const written = formatUri(parseUri(text))
    assert.deepEqual(parseUri(written), parseUri(text), text)
  }
  assert.equal(formatUri(makeUri({ user: 'a\r\nVia: x', host: 'example.org' })), 'sip:a%0D%0AVia%3A%20x@example.org')
  assert.equal(formatUri(makeUri({ scheme: 'sips', host: '[::1]', port: 5061 })), 'sips:[::1]:5061')
})

test('compares URIs', () => {
  const same = (a: string, b: string): boolean => {
    const [one, other] = [parseUri(a), parseUri(b)]
    assert.equal(sameUri(one, other), sameUri(other, one), 'it is symmetric')
    return sameUri(one, other)
  }
  for (const [a, b] of [
    ['sip:%61nna@example.org;transport=TCP', 'sip:anna@EXAMPLE.org;Transport=tcp'],
    ['sip:anna@example.org', 'sip:anna@example.org;newparam=5'],
    ['sip:anna@example.org;security=on', 'sip:anna@example.org;newparam=5'],
    ['sip:example.org;transport=tcp;method=REGISTER?to=sip:a%40b', 'sip:example.org;method=REGISTER;transport=tcp?to=sip:a%40b'],
    ['sip:anna@example.org?subject=x&priority=urgent', 'sip:anna@example.org?priority=urgent&subject=x'],
    ['tel:+49-211-1', 'tel:+492111'],
  ] as const) {
    assert.ok(same(a, b), `${a} = ${b}`)
  }
  for (const [a, b] of [
    ['sip:ANNA@example.org', 'sip:anna@example.org'],
    ['sip:anna@example.org', 'sip:anna@example.org:5060'],
    ['sip:anna@example.org', 'sips:anna@example.org'],
    ['sip:anna@example.org', 'sip:anna@example.org;user=phone'],
    ['sip:anna@example.org', 'sip:anna@example.org;maddr=192.0.2.1'],
    ['sip:anna@example.org;transport=udp', 'sip:anna@example.org;transport=tcp'],
    ['sip:anna@example.org', 'sip:anna@example.org?subject=x'],
    ['sip:anna@example.org', 'sip:anna:pw@example.org'],
    ['sip:anna@phone21.example.org', 'sip:anna@192.0.2.4'],
    ['tel:+492111', 'tel:+492111;ext=5'],
  ] as const) {
    assert.ok(!same(a, b), `${a} is not ${b}`)
  }
})
