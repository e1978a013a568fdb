import assert from 'node:assert/strict'
import { test } from 'node:test'
import { counterOf, newTotpSecret, totpCode, totpUri } from './totp.ts'

test('matches the test vectors of RFC 6238, appendix B', () => {
  const secret = Buffer.from('12345678901234567890')
  const vectors: [number, string][] = [
    [59, '94287082'],
    [1111111109, '07081804'],
    [1111111111, '14050471'],
    [1234567890, '89005924'],
    [2000000000, '69279037'],
    [20000000000, '65353130'],
  ]
  for (const [seconds, code] of vectors) assert.equal(totpCode(secret, Math.floor(seconds / 30), 8), code)
})

test('accepts a code within its 30 seconds and one step before and after', () => {
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' // the same bytes, base32-encoded as in a QR code
  const at = (counter: number) => counter * 30_000
  const code = totpCode(Buffer.from('12345678901234567890'), 1000)
  assert.equal(counterOf(secret, code, at(1000)), 1000)
  assert.equal(counterOf(secret, code, at(999)), 1000)
  assert.equal(counterOf(secret, code, at(1002) - 1), 1000)
  assert.equal(counterOf(secret, code, at(1002)), undefined)
  assert.equal(counterOf(secret, code, at(999) - 1), undefined)
  assert.equal(counterOf(secret, '', at(1000)), undefined)
})

test('creates secrets of 160 random bits and an otpauth address', () => {
  assert.match(newTotpSecret(), /^[A-Z2-7]{32}$/)
  assert.notEqual(newTotpSecret(), newTotpSecret())
  assert.equal(totpUri('GEZDGNBV', 'ada+x@example.com'), 'otpauth://totp/Offhook:ada%2Bx%40example.com?secret=GEZDGNBV&issuer=Offhook')
})
