import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatNameAddr, parseNameAddr, parseNameAddrs } from './headers.ts'
import { SipError } from './scan.ts'

const plain = (text: string) => {
  const { display, uri, params } = parseNameAddr(text)
  return { display, uri, params: { ...params } }
}

test('parses every form of an address', () => {
  for (const [text, display, uri, params] of [
    ['<sip:a@b.org>', '', 'sip:a@b.org', {}],
    ['sip:a@b.org', '', 'sip:a@b.org', {}],
    ['sip:a@b.org;tag=1', '', 'sip:a@b.org', { tag: '1' }],
    ['<sip:a@b.org;lr>;tag=1', '', 'sip:a@b.org;lr', { tag: '1' }],
    ['Anna Maria <sip:a@b.org>', 'Anna Maria', 'sip:a@b.org', {}],
    ['anna<sip:a@b.org>', 'anna', 'sip:a@b.org', {}],
    ['Jürgen <sip:a@b.org>', 'Jürgen', 'sip:a@b.org', {}],
    ['"A \\"B\\" \\\\, <x>;y" <sip:a@b.org>', 'A "B" \\, <x>;y', 'sip:a@b.org', {}],
    ['"" <sip:a@b.org>', '', 'sip:a@b.org', {}],
    ['  <sip:a@b.org> ; TAG = x ; flag ; q = "a;\\"b"', '', 'sip:a@b.org', { tag: 'x', flag: '', q: 'a;"b' }],
    ['<sip:a@b.org>;received=[2001:db8::1];x=2001:db8::2', '', 'sip:a@b.org', { received: '[2001:db8::1]', x: '2001:db8::2' }],
    ['<tel:+49211>', '', 'tel:+49211', {}],
    ['<sip:a@b.org>;tag=1;tag=2', '', 'sip:a@b.org', { tag: '1' }],
    ['*', '', '*', {}],
  ] as const) {
    assert.deepEqual(plain(text), { display, uri, params }, text)
  }
})

test('keeps parameters off the prototype', () => {
  const { params } = parseNameAddr('<sip:a@b.org>;__proto__=x;constructor=y')
  assert.deepEqual([params['__proto__'], params['constructor'], params['toString']], ['x', 'y', undefined])
  assert.equal(({} as Record<string, unknown>)['x'], undefined)
  assert.deepEqual(Object.keys(params), ['__proto__', 'constructor'])
})

test('rejects malformed addresses', () => {
  for (const text of [
    '',
    'anna',
    '<>',
    '<sip:a@b.org',
    '< sip:a@b.org >',
    '"anna <sip:a@b.org>',
    '"anna" sip:a@b.org',
    'Bell, Alexander <sip:a@b.org>',
    'a"b <sip:a@b.org>',
    '<sip:a@b.org>;;',
    '<sip:a@b.org>;',
    '<sip:a@b.org>;=x',
    '<sip:a@b.org>x',
    '<sip:a@b.org>;tag="x',
    '<sip:a@b.org>;tag=a,b',
    'sip:a@b.org?x=y',
    'sip:a @b.org',
    '<sip:a@b.org> <sip:c@d.org>',
    '<:a>',
  ]) {
    assert.throws(
      () => parseNameAddr(text),
      (error) => error instanceof SipError && error.status === 400,
      text,
    )
  }
})

test('splits lists at commas outside quotes and brackets', () => {
  const found = parseNameAddrs(['"A, B" <sip:a@b.org;x=1,2>, <sip:c@d.org>;q=0.5 , sip:e@f.org', '<sip:g@h.org>'])
  assert.deepEqual(
    found.map(({ uri }) => uri),
    ['sip:a@b.org;x=1,2', 'sip:c@d.org', 'sip:e@f.org', 'sip:g@h.org'],
  )
  assert.deepEqual(parseNameAddrs([]), [])
})

test('quotes an address where needed and prevents injection', () => {
  assert.equal(formatNameAddr({ uri: 'sip:a@b.org' }), '<sip:a@b.org>')
  assert.equal(
    formatNameAddr({ display: 'A "B" \\\r\nVia: x', uri: 'sip:a@b.org', params: { tag: 'x', flag: '', none: undefined, text: 'a b' } }),
    '"A \\"B\\" \\\\  Via: x" <sip:a@b.org>;tag=x;flag;text="a b"',
  )
  for (const uri of ['sip:a@b.org>;tag=x', 'sip:a@b.org\r\nX: y', 'sip:a b', 'nothing', '']) {
    assert.throws(() => formatNameAddr({ uri }), SipError, uri)
  }
  assert.throws(() => formatNameAddr({ uri: 'sip:a@b.org', params: { 'x\r\ny': '' } }), SipError)
  const display = 'Ann"a\\ <sip:x>, ü'
  assert.equal(parseNameAddr(formatNameAddr({ display, uri: 'sip:a@b.org' })).display, display)
})
