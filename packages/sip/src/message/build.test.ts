import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sdpOf, type Request, type Response, BrokenMessage } from './message.ts'
import { buildRequest, buildResponse, multipartBody, respond } from './build.ts'
import { parseMessage } from './parse.ts'
import { SipError } from '../grammar/scan.ts'

const headers = [
  ['Via', 'SIP/2.0/UDP 10.0.0.1:5060;branch=z9hG4bKa;rport'],
  ['Record-Route', '<sip:p1.example.org;lr>'],
  ['Record-Route', '<sip:p2.example.org;lr>'],
  ['From', '"Änna" <sip:anna@example.org>;tag=f'],
  ['To', 'sip:bob@example.org'],
  ['Call-ID', 'c1'],
  ['CSeq', '7 INVITE'],
  ['Timestamp', '54'],
] as const

const invite = (): Request => parseMessage(buildRequest('INVITE', 'sip:bob@example.org', headers)) as Request
const answered = (bytes: Uint8Array): Response => parseMessage(bytes) as Response

test('formats a request', () => {
  assert.equal(
    buildRequest('OPTIONS', 'sip:example.org', [['Max-Forwards', '70']]).toString(),
    'OPTIONS sip:example.org SIP/2.0\r\nMax-Forwards: 70\r\nContent-Length: 0\r\n\r\n',
  )
  assert.equal(
    buildRequest('MESSAGE', 'sip:example.org', [], { type: 'text/plain', content: 'grün' }).toString(),
    'MESSAGE sip:example.org SIP/2.0\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\ngrün',
  )
  const bytes = new Uint8Array([0, 255, 13, 10])
  assert.deepEqual([...buildRequest('INFO', 'sip:x', [], { type: 'a/b', content: bytes }).subarray(-4)], [...bytes])
})

test('formats a multipart body', () => {
  const parts = [
    { type: 'application/sdp', content: 'v=0\r\n' },
    { type: 'application/pidf+xml', headers: [['Content-ID', '<1@x>']] as const, content: '<presence/>' },
  ]
  const body = multipartBody(parts, 'b1')
  assert.equal(body.type, 'multipart/mixed;boundary=b1')
  assert.equal(
    body.content,
    '--b1\r\nContent-Type: application/sdp\r\n\r\nv=0\r\n\r\n--b1\r\nContent-Type: application/pidf+xml\r\nContent-ID: <1@x>\r\n\r\n<presence/>\r\n--b1--\r\n',
  )
  assert.equal(sdpOf(parseMessage(buildRequest('INVITE', 'sip:x', headers, body)) as Request), 'v=0\r\n')
  assert.throws(() => multipartBody([{ type: 'text/plain', headers: [['Content-ID', '1\r\nX: y']], content: '' }], 'b'), SipError)
})

test('formats a response', () => {
  assert.equal(buildResponse(200, [['X', 'y']]).toString(), 'SIP/2.0 200 OK\r\nX: y\r\nContent-Length: 0\r\n\r\n')
  assert.match(buildResponse(499, []).toString(), /^SIP\/2.0 499 Request Failure\r\n/)
  assert.match(buildResponse(486, [], { reason: 'Besetzt' }).toString(), /^SIP\/2.0 486 Besetzt\r\n/)
})

test('rejects header injection through values', () => {
  const evil = 'x\r\nVia: SIP/2.0/UDP evil'
  for (const build of [
    () => buildRequest('INVITE', 'sip:x', [['Subject', evil]]),
    () => buildRequest('INVITE', 'sip:x', [['Subject', 'a\nb']]),
    () => buildRequest('INVITE', 'sip:x', [['Subject', 'a\rb']]),
    () => buildRequest('INVITE', 'sip:x', [['Subject', 'a\0b']]),
    () => buildRequest('INVITE', 'sip:x', [[evil, 'x']]),
    () => buildRequest('INVITE', 'sip:x', [['', 'x']]),
    () => buildRequest('IN VITE', 'sip:x', []),
    () => buildRequest('INVITE', evil, []),
    () => buildRequest('INVITE', 'sip:x y', []),
    () => buildRequest('INVITE', '', []),
    () => buildRequest('INVITE', 'sip:x', [], { type: evil, content: '' }),
    () => buildResponse(200, [], { reason: evil }),
    () => buildResponse(99, []),
    () => buildResponse(700, []),
    () => buildResponse(200.5, []),
    () => respond(invite(), 200, { toTag: evil }),
    () => respond(invite(), 200, { headers: [['X', evil]] }),
  ]) {
    assert.throws(build, (error) => error instanceof SipError && error.status === 500, build.toString())
  }
})

test('copies the transaction and dialog headers into a response', () => {
  const ok = answered(
    respond(invite(), 200, {
      toTag: 't',
      headers: [['Contact', '<sip:us@192.0.2.9>']],
      body: { type: 'application/sdp', content: 'v=0\r\n' },
    }),
  )
  assert.deepEqual(ok.lines('via'), ['SIP/2.0/UDP 10.0.0.1:5060;branch=z9hG4bKa;rport'])
  assert.deepEqual(ok.lines('record-route'), ['<sip:p1.example.org;lr>', '<sip:p2.example.org;lr>'])
  assert.deepEqual([ok.from.display, ok.fromTag, ok.toTag, ok.callId, ok.cseq.number], ['Änna', 'f', 't', 'c1', 7])
  assert.equal(ok.header('content-type'), 'application/sdp')
  assert.equal(Buffer.from(ok.body).toString(), 'v=0\r\n')
  assert.equal(ok.header('timestamp'), undefined)
})

test('copies Record-Route only into dialog-creating responses, Timestamp only into 100, never adds a tag to 100', () => {
  const trying = answered(respond(invite(), 100, { toTag: 't' }))
  assert.deepEqual([trying.toTag, trying.header('timestamp'), trying.lines('record-route').length], [undefined, '54', 0])
  assert.equal(answered(respond(invite(), 183, { toTag: 't' })).lines('record-route').length, 2)
  assert.equal(answered(respond(invite(), 404, { toTag: 't' })).lines('record-route').length, 0)
})

test('keeps an existing tag', () => {
  const inDialog = headers.map(([name, value]) => [name, name === 'To' ? `${value};tag=old` : value] as const)
  const request = parseMessage(buildRequest('INVITE', 'sip:bob@example.org', inDialog)) as Request
  assert.equal(answered(respond(request, 200, { toTag: 'new' })).toTag, 'old')
})

test('adds received/rport to the top Via only', () => {
  const two = headers.map(([name, value]) => [name, name === 'Via' ? `${value}, SIP/2.0/TCP second;rport` : value] as const)
  const request = parseMessage(buildRequest('INVITE', 'sip:bob@example.org', [...two, ['Via', 'SIP/2.0/UDP third;rport']])) as Request
  const response = answered(respond(request, 404, { toTag: 't', source: { address: '192.0.2.1', port: 40_000 } }))
  assert.deepEqual(response.list('via'), [
    'SIP/2.0/UDP 10.0.0.1:5060;branch=z9hG4bKa;rport=40000;received=192.0.2.1',
    'SIP/2.0/TCP second;rport',
    'SIP/2.0/UDP third;rport',
  ])
})

test('answers a partially parsed request with the available headers', () => {
  const refusal = (text: string): string => {
    try {
      parseMessage(Buffer.from(text))
    } catch (error) {
      assert.ok(error instanceof BrokenMessage && error.received?.kind === 'request')
      return respond(error.received, error.status, { toTag: 't', source: { address: '192.0.2.1', port: 5060 } }).toString()
    }
    return assert.fail('it was accepted')
  }
  assert.equal(
    refusal('INVITE sip:x SIP/2.0\r\nVia: SIP/2.0/UDP h\r\nCSeq: 1 INVITE\r\nTo: "x <sip:y>\r\n\r\n'),
    'SIP/2.0 400 Bad Request\r\nVia: SIP/2.0/UDP h;received=192.0.2.1\r\nTo: "x <sip:y>\r\nCSeq: 1 INVITE\r\nContent-Length: 0\r\n\r\n',
  )
  assert.match(refusal('INVITE sip:x SIP/2.0\r\nVia: nonsense\r\n\r\n'), /^SIP\/2.0 400 Bad Request\r\nVia: nonsense\r\nContent-Length: 0/)
})
