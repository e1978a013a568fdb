import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits, SipError } from '../grammar/scan.ts'
import { type Request, type Response, BrokenMessage } from './message.ts'
import { StreamFramer } from './framing.ts'
import { parseMessage } from './parse.ts'

const start = 'INVITE sip:bob@example.org SIP/2.0'
const usual = {
  Via: 'SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bKa',
  From: '"Anna" <sip:anna@example.org>;tag=from1',
  To: '<sip:bob@example.org>',
  'Call-ID': 'call-1@192.0.2.1',
  CSeq: '1 INVITE',
}

/** A message as text: the default headers, with some changed, omitted (undefined) or added. */
const write = (changes: Record<string, string | undefined> = {}, body = '', startLine = start): string => {
  const headers = Object.entries({ ...usual, ...changes }).filter(([, value]) => value !== undefined)
  return `${startLine}\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`
}

const request = (text: string): Request => parseMessage(Buffer.from(text)) as Request

const trouble = (text: string | Buffer, options = {}): BrokenMessage => {
  try {
    parseMessage(Buffer.from(text), options)
  } catch (error) {
    if (error instanceof BrokenMessage) return error
    throw error
  }
  return assert.fail('nothing was thrown')
}

test('parses all parts of a request', () => {
  const invite = request(write({ Contact: '<sip:anna@192.0.2.1>, <sip:anna@192.0.2.2>;q=0.5', 'Content-Length': '4' }, 'bodyXXX'))
  assert.equal(invite.kind, 'request')
  assert.equal(invite.method, 'INVITE')
  assert.equal(invite.uri, 'sip:bob@example.org')
  assert.equal(invite.target.user, 'bob')
  assert.equal(invite.callId, 'call-1@192.0.2.1')
  assert.deepEqual([invite.from.display, invite.fromTag, invite.toTag], ['Anna', 'from1', undefined])
  assert.deepEqual(invite.cseq, { number: 1, method: 'INVITE' })
  assert.deepEqual([invite.via.transport, invite.via.host, invite.via.port], ['UDP', '192.0.2.1', 5060])
  assert.deepEqual(
    invite.contacts.map(({ uri }) => uri),
    ['sip:anna@192.0.2.1', 'sip:anna@192.0.2.2'],
  )
  assert.equal(Buffer.from(invite.body).toString(), 'body', 'what follows the body in a datagram is no part of it')
})

test('parses all parts of a response', () => {
  const response = parseMessage(Buffer.from(write({ To: '<sip:bob@example.org>;tag=t' }, '', 'SIP/2.0 183 In Bearbeitung ü'))) as Response
  assert.deepEqual([response.kind, response.status, response.reason, response.toTag], ['response', 183, 'In Bearbeitung ü', 't'])
  for (const [line, status, reason] of [
    ['SIP/2.0 100 ', 100, ''],
    ['SIP/2.0 100', 100, ''],
    ['sip/2.0 699 x  y', 699, 'x  y'],
  ] as const) {
    const read = parseMessage(Buffer.from(write({}, '', line))) as Response
    assert.deepEqual([read.status, read.reason], [status, reason])
  }
})

test('parses headers: short names, any case, blanks, folding, several values', () => {
  const text = [
    start,
    'v: SIP/2.0/UDP a.example.org;branch=z9hG4bK1 , SIP/2.0/TCP b.example.org',
    'VIA  : SIP/2.0/UDP c.example.org',
    'f: sip:anna@example.org;tag=1',
    't\t:',
    '  <sip:bob@example.org>',
    '\t;tag=2',
    'i:x',
    'cseq: 0007',
    ' INVITE',
    's:',
    'k: timer,,100rel',
    'Supported:   replaces  ',
    'X-Odd: ;;,"x,y',
    '',
    '',
  ].join('\r\n')
  const message = request(text)
  assert.deepEqual(message.lines('via'), [
    'SIP/2.0/UDP a.example.org;branch=z9hG4bK1 , SIP/2.0/TCP b.example.org',
    'SIP/2.0/UDP c.example.org',
  ])
  assert.equal(message.via.host, 'a.example.org')
  assert.equal(message.header('to'), '<sip:bob@example.org> ;tag=2')
  assert.equal(message.toTag, '2')
  assert.equal(message.cseq.number, 7)
  assert.equal(message.header('subject'), '')
  assert.deepEqual(message.list('supported'), ['timer', '100rel', 'replaces'])
  assert.equal(message.header('x-odd'), ';;,"x,y')
  assert.equal(message.header('x-none'), undefined)
  assert.deepEqual(message.lines('x-none'), [])
  assert.deepEqual(message.list('x-none'), [])
  assert.throws(() => message.list('x-odd'), SipError)
})

test('distinguishes similar header names', () => {
  const message = request(write({ 'C%6Fntact': '<sip:evil@example.org>', __proto__x: 'y' }))
  assert.deepEqual(message.contacts, [])
  assert.equal(message.header('c%6fntact'), '<sip:evil@example.org>')
})

test('parses non-ASCII text', () => {
  assert.equal(request(write({ Subject: 'Grüße 大' })).header('subject'), 'Grüße 大')
  const latin = Buffer.from(write({ Subject: 'Gr\xfc\xdfe' }, 'x', start), 'latin1')
  assert.equal((parseMessage(latin) as Request).callId, 'call-1@192.0.2.1', 'bytes that are no UTF-8 do no harm')
})

test('takes the rest of the datagram as body without Content-Length', () => {
  assert.equal(request(write({}, 'abc')).body.length, 3)
  assert.equal(request(write({ 'Content-Length': '0' }, 'abc')).body.length, 0)
  assert.equal(request(write({ l: '003' }, 'abc')).body.length, 3)
  assert.equal(trouble(write({ 'Content-Length': '4' }, 'abc')).status, 400)
  assert.equal(trouble(write({ 'Content-Length': '-1' }, 'abc')).status, 400)
  assert.equal(trouble(write({ 'Content-Length': '99999999999999999999' }, 'abc')).status, 400)
})

test('skips keep-alives before a message; rejects them alone', () => {
  assert.equal(request(`\r\n\r\n${write()}`).method, 'INVITE')
  for (const noise of ['', '\r\n', '\r\n\r\n', '\0\0', 'x', '\x00\x01\x00\x00\x21\x12\xa4\x42'])
    assert.equal(trouble(noise).received, undefined)
})

test('reports the status of each kind of parse error', () => {
  for (const [what, text, status] of [
    ['no Call-ID', write({ 'Call-ID': undefined }), 400],
    ['no From', write({ From: undefined }), 400],
    ['no To', write({ To: undefined }), 400],
    ['no CSeq', write({ CSeq: undefined }), 400],
    ['an empty To', write({ To: '' }), 400],
    ['Call-ID with blanks', write({ 'Call-ID': 'a b' }), 400],
    ['another method in CSeq', write({ CSeq: '1 BYE' }), 400],
    ['CSeq beyond 2^31', write({ CSeq: '2147483648 INVITE' }), 400],
    ['CSeq without number', write({ CSeq: 'INVITE' }), 400],
    ['CSeq with more', write({ CSeq: '1 INVITE x' }), 400],
    ['Max-Forwards too large', write({ 'Max-Forwards': '256' }), 400],
    ['Expires too large', write({ Expires: '4294967296' }), 400],
    ['Contact with two semicolons', write({ Contact: '<sip:a@b.org>;;' }), 400],
    ['a bad lower Via list', write({ Via: 'SIP/2.0/UDP h;x="' }), 400],
    ['a header without colon', write({}, '').replace('From:', 'Nonsense\r\nFrom:'), 400],
    ['a header without name', write({}, '').replace('From:', ': x\r\nFrom:'), 400],
    ['a header name with blanks', write({ 'X Y': 'z' }), 400],
    ['a lone line feed', write({ Subject: 'a\nVia: SIP/2.0/UDP evil' }), 400],
    ['a lone carriage return', write({ Subject: 'a\rb' }), 400],
    ['no blank line', write().trimEnd(), 400],
    ['headers in the Request-URI', write({}, '', 'INVITE sip:bob@example.org?Route=x SIP/2.0'), 400],
    ['an unknown scheme', write({}, '', 'INVITE mailto:bob@example.org SIP/2.0'), 416],
    ['another version', write({}, '', 'INVITE sip:bob@example.org SIP/3.0'), 505],
    ['no version', write({}, '', 'INVITE sip:bob@example.org'), 400],
    ['HTTP', write({}, '', 'INVITE sip:bob@example.org HTTP/1.1'), 400],
    ['two blanks', write({}, '', 'INVITE  sip:bob@example.org SIP/2.0'), 400],
    ['a blank at the end', write({}, '', 'INVITE sip:bob@example.org SIP/2.0 '), 400],
  ] as const) {
    const error = trouble(text)
    assert.equal(error.status, status, what)
    assert.ok(error.received?.lines('via').length, `${what}: can be answered`)
  }
})

test('reads headers with bare LF line ends for a response, on datagrams and streams; skips a bare LF in a line', () => {
  const bare = trouble(write({ 'Content-Length': '4' }, 'body').replaceAll('\r\n', '\n'))
  assert.deepEqual([bare.status, bare.received?.callId, bare.received?.lines('via').length], [400, 'call-1@192.0.2.1', 1])
  const { broken } = new StreamFramer().feed(Buffer.from(write({ 'Content-Length': '0' }).replaceAll('\r\n', '\n')))
  assert.deepEqual([broken?.status, broken?.received?.callId], [400, 'call-1@192.0.2.1'])
  const first = write().replace('SIP/2.0\r\n', 'SIP/2.0\r\nSubject: a\nVia: SIP/2.0/UDP evil\r\n')
  const hidden = trouble(first)
  assert.deepEqual([hidden.status, hidden.received?.callId, hidden.received?.lines('via').length], [400, 'call-1@192.0.2.1', 1])
})

test('rejects repeated single-value headers', () => {
  for (const header of ['From: <sip:x@y.org>', 'To: <sip:x@y.org>', 'i: other', 'CSeq: 1 INVITE', 'l: 0', 'Max-Forwards: 5']) {
    const text = write({ 'Max-Forwards': '70', 'Content-Length': '0' }).replace('\r\n\r\n', `\r\n${header}\r\n\r\n`)
    const error = trouble(text)
    assert.equal(error.status, 400, header)
    assert.equal(error.received?.callId, 'call-1@192.0.2.1', 'the first one is the one that is answered')
  }
})

test('makes only requests with a Via answerable', () => {
  assert.equal(trouble(write({ CSeq: 'x' }, '', 'SIP/2.0 200 OK')).received, undefined)
  assert.equal(trouble(write({}, '', 'SIP/2.0 4294967301 x')).received, undefined)
  assert.equal(trouble(write({}, '', 'SIP/2.0 099 x')).received, undefined)
  assert.equal(trouble(write({}, '', 'SIP/3.0 200 OK')).received, undefined)
  assert.equal(trouble(write({ Via: undefined })).received, undefined)
  assert.equal(trouble(write({}, '', '"x" sip:bob@example.org SIP/2.0')).received, undefined)
  assert.equal(trouble(write({ CSeq: 'x' })).received?.method, 'INVITE')
})

test('respects the bounds of a view into larger memory', () => {
  const text = write({}, 'abc')
  const memory = new Uint8Array(text.length + 20)
  memory.set(Buffer.from(text), 10)
  const message = parseMessage(memory.subarray(10, 10 + text.length))
  assert.equal(Buffer.from(message.body).toString(), 'abc')
})

/** At the limit, one above, and a hundred times as much. */
const around = (limit: number): [number, boolean][] => [
  [limit, true],
  [limit + 1, false],
  [limit * 100, false],
]

const accepted = (text: string, status: number, options = {}): boolean => {
  try {
    return parseMessage(Buffer.from(text), options).callId === usual['Call-ID']
  } catch (error) {
    assert.ok(error instanceof SipError)
    assert.equal(error.status, status)
    return false
  }
}

test('limit: size of a datagram and of a stream message', () => {
  for (const [limit, options] of [
    [limits.datagramBytes, {}],
    [limits.streamBytes, { stream: true }],
  ] as const) {
    for (const [size, fits] of around(limit)) {
      const text = write({}, 'b'.repeat(size - write().length))
      assert.equal(accepted(text, 513, options), fits, `${size} bytes`)
    }
  }
})

test('limit: number of headers', () => {
  for (const [count, fits] of around(limits.headers)) {
    const more = Array.from({ length: count - Object.keys(usual).length }, (_, i) => `h${i}:`)
    const text = write().replace('\r\n\r\n', `\r\n${more.join('\r\n')}\r\n\r\n`)
    assert.equal(accepted(text, 513, { stream: true }), fits, `${count} headers`)
  }
})

test('limit: length of one header, folded or not, and of the start line', () => {
  for (const [length, fits] of around(limits.headerLength)) {
    const plain = `Subject: ${'s'.repeat(length - 9)}`
    const folded = `Subject:${'\r\n s'.repeat((length - 8) / 4)}`.padEnd(length, 's')
    for (const line of [plain, folded]) {
      assert.equal(accepted(write().replace('\r\n\r\n', `\r\n${line}\r\n\r\n`), 513, { stream: true }), fits, `${length} characters`)
    }
    const startLine = `INVITE sip:${'u'.repeat(length - 19)} SIP/2.0`
    assert.equal(accepted(write({}, '', startLine), 513, { stream: true }), fits, `start line of ${length} characters`)
  }
})

test('limit: number of Via values, on separate lines or in a list', () => {
  for (const [count, fits] of around(limits.vias)) {
    const via = 'SIP/2.0/UDP h'
    const inList = write({ Via: Array.from({ length: count }, () => via).join(',') })
    assert.equal(accepted(inList, inList.length > 8192 + 300 ? 513 : 483, { stream: true }), fits, `${count} in a list`)
    const inLines = write({ Via: Array.from({ length: count }, () => via).join('\r\nv: ') })
    assert.equal(accepted(inLines, count > limits.headers ? 513 : 483, { stream: true }), fits, `${count} lines`)
  }
})
