import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Dial } from '#core/kernel/ports/telephony.ts'
import type { Request } from '@offhook/sip/message/message.ts'
import { parseMessage } from '@offhook/sip/message/parse.ts'
import {
  deviceCaller,
  dialledOver,
  dialledUser,
  diversionsOf,
  hopsOf,
  trunkCaller,
  readNumber,
  writeNumber,
  presentCaller,
  type Presentation,
} from './identity.ts'

const invite = (
  headers: string[] = [],
  {
    uri = 'sip:+493023125042@offhook.example',
    from = '<sip:+33142278186@carrier.example>',
    to = '<sip:+493023125042@offhook.example>',
  } = {},
) => {
  const lines = [
    `INVITE ${uri} SIP/2.0`,
    'Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK1',
    'Max-Forwards: 70',
    `From: ${from};tag=1`,
    `To: ${to}`,
    'Call-ID: a@b',
    'CSeq: 1 INVITE',
    ...headers,
    'Content-Length: 0',
  ]
  return parseMessage(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)) as Request
}
const read = (written: string) => readNumber(written, 'PLUS', 'DE')

test('falls back to From as the caller', () => {
  assert.deepEqual(trunkCaller(invite(), read), { number: '+33142278186', name: '', withheld: false })
  const named = invite([], { from: '"Ada \\"L\\"" <sip:03023125001@carrier.example>' })
  assert.deepEqual(trunkCaller(named, read), { number: '+493023125001', name: 'Ada "L"', withheld: false })
  const odd = invite([], { from: '<sip:bob@carrier.example>' })
  assert.deepEqual(trunkCaller(odd, read), { number: 'bob', name: '', withheld: false })
})

test('prefers a carrier’s assertion to From', () => {
  const request = invite(['P-Asserted-Identity: "Real" <sip:+493023125001@carrier.example>', 'P-Asserted-Identity: <tel:+493023125002>'])
  assert.deepEqual(trunkCaller(request, read), { number: '+493023125001', name: 'Real', withheld: false })
  const older = invite(['Remote-Party-ID: <sip:+493023125003@c.example>;party=calling;privacy=off'])
  assert.equal(trunkCaller(older, read).number, '+493023125003')
})

test('withholds the number of an anonymous caller, however it is signalled', () => {
  const asserted = 'P-Asserted-Identity: <tel:+493023125001>'
  const from = '"Anonymous" <sip:anonymous@anonymous.invalid>'
  assert.deepEqual(trunkCaller(invite([asserted, 'Privacy: id'], { from }), read), { number: '+493023125001', name: '', withheld: true })
  assert.equal(trunkCaller(invite([asserted, 'Privacy: user;id']), read).withheld, true)
  assert.equal(trunkCaller(invite([asserted, 'Privacy: none']), read).withheld, false)
  assert.equal(trunkCaller(invite(['Remote-Party-ID: <sip:1@c.example>;privacy=full']), read).withheld, true)
  assert.deepEqual(trunkCaller(invite([], { from }), read), { number: undefined, name: 'Anonymous', withheld: true })
  assert.equal(deviceCaller(invite(['Privacy: id'])).withheld, true)
  assert.equal(deviceCaller(invite([], { from })).withheld, true)
})

test('ignores a number claimed by a device', () => {
  const request = invite(['P-Asserted-Identity: <tel:+493023125001>', 'Remote-Party-ID: <sip:+493023125001@c.example>'])
  assert.deepEqual(deviceCaller(request), { number: undefined, name: '', withheld: false })
})

test('ignores an unreadable identity', () => {
  assert.equal(trunkCaller(invite(['P-Asserted-Identity: <sip:+49302', 'Privacy: id']), read).number, '+33142278186')
  assert.equal(trunkCaller(invite(['P-Asserted-Identity: <http://x>']), read).number, '+33142278186')
})

test('rejects user parts that could break a line or a log', () => {
  for (const user of ['%0d%0aX-Evil:1', '%00', 'a%20b', '%e2%80%ae123', 'x'.repeat(65)])
    assert.equal(trunkCaller(invite([], { from: `<sip:${user}@c.example>` }), read).number, undefined, user)
  assert.equal(dialledUser(invite([], { uri: 'sip:1%0d%0a2@offhook.example' })), '+493023125042', 'falls back to To')
})

test('finds the dialled number where the carrier puts it', () => {
  assert.equal(dialledUser(invite()), '+493023125042')
  assert.equal(dialledUser(invite([], { uri: 'tel:+49-30-23125099' })), '+493023125099')
  assert.equal(dialledUser(invite([], { uri: 'sip:+493023125099;npdi=yes@offhook.example;user=phone' })), '+493023125099')
  assert.equal(dialledUser(invite([], { uri: 'sip:account7@192.0.2.9' }), ['account7']), '+493023125042', 'To, when the URI only names us')
  assert.equal(dialledUser(invite(['P-Called-Party-ID: <sip:+493023125077@c.example>']), []), '+493023125077')
})

test("maps our user name to the trunk's default number, or to the name itself if it is a number", () => {
  const over = (username: string, user: string, { to = user, defaultNumber = '' } = {}): string =>
    dialledOver(invite([], { uri: `sip:${user}@192.0.2.9`, to: `<sip:${to}@c.example>` }), { username, defaultNumber }, read)
  for (const username of ['493023125042', '+493023125042', '03023125042']) assert.equal(over(username, username), '+493023125042', username)
  assert.equal(over('acme', 'acme', { defaultNumber: '+493023125042' }), '+493023125042')
  assert.equal(over('493023125000', '493023125000', { defaultNumber: '+493023125042' }), '+493023125042')
  assert.equal(over('acme', 'acme', { to: '+493023125077', defaultNumber: '+493023125042' }), '+493023125077', 'To says more')
  assert.equal(over('acme', '+493023125077', { defaultNumber: '+493023125042' }), '+493023125077')
  assert.equal(over('acme', 'acme'), 'acme')
})

test('reads diversions and hops', () => {
  const request = invite(['Diversion: <sip:03023125001@c.example>;reason=no-answer, <tel:+33142278186>', 'X-Offhook-Hops: 3'])
  assert.deepEqual(diversionsOf(request, read), ['+493023125001', '+33142278186'])
  assert.equal(hopsOf(request), 3)
  assert.equal(hopsOf(invite()), 0)
  assert.equal(hopsOf(invite(['X-Offhook-Hops: -1'])), 0)
  assert.equal(hopsOf(invite(['X-Offhook-Hops: 99999999999'])), 0)
})

const dial = (caller: Partial<Dial['caller']> = {}, more: Partial<Dial> = {}): Dial => ({
  caller: { number: '+493023125042', name: '', withheld: false, ...caller },
  diversions: [],
  hops: 0,
  ...more,
})
const carrier: Presentation = {
  host: 'carrier.example',
  write: (number) => writeNumber(number, 'DOUBLE_ZERO', 'DE'),
  trusted: true,
  emergency: false,
  account: 'account7',
}
const phone: Presentation = { host: 'offhook.example', write: (number) => number, trusted: false, emergency: false }

test('sends a carrier the number in its own format, asserted', () => {
  assert.deepEqual(presentCaller(dial({ name: 'Ada' }, { diversions: ['+33142278186'], hops: 2 }), carrier), {
    from: '"Ada" <sip:00493023125042@carrier.example>',
    headers: [
      ['P-Asserted-Identity', '<sip:00493023125042@carrier.example>'],
      ['Diversion', '<sip:0033142278186@carrier.example>;reason=unconditional'],
    ],
  })
  assert.equal(presentCaller(dial({ number: undefined }), carrier).from, '<sip:account7@carrier.example>')
})

test('sends a withheld number to carriers with privacy, never to phones, openly to emergency services', () => {
  const withheld = dial({ withheld: true, name: 'Ada' })
  const anonymous = '"Anonymous" <sip:anonymous@anonymous.invalid>'
  assert.deepEqual(presentCaller(withheld, carrier), {
    from: anonymous,
    headers: [
      ['P-Asserted-Identity', '<sip:00493023125042@carrier.example>'],
      ['Privacy', 'id'],
    ],
  })
  assert.deepEqual(presentCaller(withheld, phone), { from: anonymous, headers: [['Privacy', 'id']] })
  const takeover = presentCaller(withheld, { ...carrier, emergency: true })
  assert.equal(takeover.from, '"Ada" <sip:00493023125042@carrier.example>')
  assert.ok(!takeover.headers.some(([name]) => name === 'Privacy'))
})

test('names and numbers of customers cannot inject headers', () => {
  const evil = 'x"\r\nX-Evil: 1\r\n\r\n<sip:a@b>\0\u202e'
  const { from, headers } = presentCaller(dial({ name: evil, number: evil }, { diversions: [evil] }), carrier)
  for (const value of [from, ...headers.map(([, text]) => text)]) assert.doesNotMatch(value, /[\r\n\0]/)
  assert.match(from, /^"x\\" X-Evil: 1 <sip:a@b>" <sip:x%22%0D%0AX-Evil%3A/)
})
