import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasForeignBody, sdpOf, type Request } from './message.ts'
import { buildRequest } from './build.ts'
import { parseMessage } from './parse.ts'

const withBody = (type: string, content: string, more: [string, string][] = []): Request => {
  const headers: [string, string][] = [
    ['Via', 'SIP/2.0/UDP a;branch=z9hG4bK1'],
    ['From', '<sip:a@a>;tag=1'],
    ['To', '<sip:b@b>'],
    ['Call-ID', 'c'],
    ['CSeq', '1 INVITE'],
    ...more,
  ]
  return parseMessage(buildRequest('INVITE', 'sip:b@b', headers, { type, content })) as Request
}

test('finds the SDP by any spelling of its type, also in a multipart body', () => {
  const parts = (boundary: string): string =>
    `ignored\r\n--${boundary}\r\nContent-Type: text/plain\r\n\r\nhello\r\n--${boundary}\r\nX: y\r\nc: Application/SDP ; x=y\r\n\r\nv=0\r\no=1\r\n--${boundary}--\r\nrest`
  assert.equal(sdpOf(withBody('Application/SDP; charset=utf-8', 'v=0')), 'v=0')
  assert.equal(sdpOf(withBody('multipart/mixed; boundary=xyz', parts('xyz'))), 'v=0\r\no=1')
  assert.equal(sdpOf(withBody('multipart/related;boundary="a b"', parts('a b'))), 'v=0\r\no=1')
})

test('finds no SDP in a missing or malformed body', () => {
  const broken = ['--b--\r\n', '--b\r\nContent-Type: application/sdp', 'nothing', '']
  for (const content of broken) assert.equal(sdpOf(withBody('multipart/mixed;boundary=b', content)), undefined)
  for (const type of ['multipart/mixed', 'multipart/mixed;boundary="', 'multipart/mixed;;', 'text/plain'])
    assert.equal(sdpOf(withBody(type, '--b\r\nContent-Type: application/sdp\r\n\r\nv=0\r\n--b--')), undefined)
  assert.equal(sdpOf(withBody('application/sdp', '')), undefined)
})

test('treats a body as foreign unless it is SDP, multipart or optional', () => {
  assert.equal(hasForeignBody(withBody('application/sdp', 'v=0')), false)
  assert.equal(hasForeignBody(withBody('multipart/mixed;boundary=b', 'x')), false)
  assert.equal(hasForeignBody(withBody('text/plain', '')), false)
  assert.equal(hasForeignBody(withBody('text/plain', 'x')), true)
  assert.equal(hasForeignBody(withBody('text/plain', 'x', [['Content-Disposition', 'render; handling=Optional']])), false)
  assert.equal(hasForeignBody(withBody('application/sdp', 'v=0', [['Content-Encoding', 'gzip']])), true)
  assert.equal(hasForeignBody(withBody('application/sdp', 'v=0', [['Content-Encoding', 'Identity']])), false)
})
