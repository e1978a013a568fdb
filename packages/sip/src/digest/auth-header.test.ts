import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatAuthParams, parseAuthHeader } from './digest.ts'
import { SipError } from '../grammar/scan.ts'

test('parses a challenge with quoted and plain values', () => {
  const { scheme, params } = parseAuthHeader('DIGEST  Realm="a, \\"b\\"" ,nonce="x=",qop="auth,auth-int", algorithm=SHA-256 , stale=FALSE')
  assert.equal(scheme, 'digest')
  assert.deepEqual({ ...params }, { realm: 'a, "b"', nonce: 'x=', qop: 'auth,auth-int', algorithm: 'SHA-256', stale: 'FALSE' })
})

test('parses other schemes too', () => {
  assert.deepEqual(parseAuthHeader('NoOneKnowsThisScheme opaque-data=here').scheme, 'nooneknowsthisscheme')
  assert.deepEqual({ ...parseAuthHeader('Basic').params }, {})
})

test('rejects anything but name=value pairs', () => {
  for (const text of [
    '',
    '"Digest"',
    'Digest x',
    'Digest realm',
    'Digest realm="a',
    'Digest realm="a" nonce="b"',
    'Digest realm="a",,nonce="b"',
    'Digest a=1, a=2',
    'Digest =x',
  ]) {
    assert.throws(
      () => parseAuthHeader(text),
      (error) => error instanceof SipError && error.status === 400,
      text,
    )
  }
})

test('escapes quoted values against injection', () => {
  assert.equal(formatAuthParams({ realm: 'a"b', none: undefined, stale: 'true' }, new Set(['realm'])), 'realm="a\\"b", stale=true')
  assert.throws(() => formatAuthParams({ algorithm: 'MD5, x=y' }, new Set()), SipError)
})
