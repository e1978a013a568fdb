import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withCode } from '#test/http/with-code.ts'
import { requirePushUrl } from './change-push.ts'

test('accepts absolute http and https addresses and the empty string', () => {
  for (const url of ['', 'https://example.com/in', 'http://user:pass@example.com:8080/a?b=c', 'HTTPS://EXAMPLE.COM'])
    assert.doesNotThrow(() => requirePushUrl('incomingUrl', url), url)
})

test('rejects all other addresses and names the field', () => {
  const bad = [
    'example.com',
    '/in',
    'ftp://example.com',
    'http:example.com',
    'https://',
    'https://example.com/#a',
    'https://exa mple.com',
    'https://[::1',
    'javascript:alert(1)',
    ' https://example.com',
    'https://example.com/\n',
  ]
  for (const url of bad) assert.throws(() => requirePushUrl('incomingUrl', url), withCode('parameter_invalid', 'incomingUrl'), url)
})
