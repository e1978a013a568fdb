import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSmppUrl } from './smpp-url.ts'

test('an address with only a login has the defaults', () => {
  assert.deepEqual(readSmppUrl('smpp://me:secret@smsc.example'), {
    host: 'smsc.example',
    port: 2775,
    secure: false,
    systemId: 'me',
    password: 'secret',
    systemType: '',
    window: 10,
    rate: undefined,
    ids: 'same',
    ton: 1,
    npi: 1,
  })
})

test('reads options, TLS, IPv6 and escaped characters', () => {
  const account = readSmppUrl('smpps://a%40b:p%3Aw@[::1]:5000/?window=50&rate=5&ids=hex-decimal&ton=2&npi=8&type=VMA')
  assert.deepEqual([account.host, account.port, account.secure, account.systemId, account.password], ['::1', 5000, true, 'a@b', 'p:w'])
  assert.deepEqual(
    [account.window, account.rate, account.ids, account.ton, account.npi, account.systemType],
    [50, 5, 'hex-decimal', 2, 8, 'VMA'],
  )
})

test('names an invalid part of the address', () => {
  const refused: [string, RegExp][] = [
    ['http://me:secret@host', /such as smpp:/],
    ['smpp://host', /such as smpp:/],
    ['smpp://me:secret@', /such as smpp:/],
    ['smpp://me:secret@host/path', /such as smpp:/],
    ['smpp://me:50%@host', /%25 for %/],
    ['smpp://me:a#b@host', /%23 for #/],
    ['smpp://me:123456789@host', /password that SMPP cannot carry/],
    ['smpp://1234567890123456:x@host', /user name that SMPP cannot carry/],
    ['smpp://me:x@host?window=0', /window, which must be a number from 1 to 1000/],
    ['smpp://me:x@host?ids=octal', /ids, which must be/],
    ['smpp://me:x@host?ton=1.5', /ton, which must be/],
    ['smpp://me:x@host?windows=3', /unknown option windows/],
  ]
  for (const [text, why] of refused) assert.throws(() => readSmppUrl(text), why, text)
})
