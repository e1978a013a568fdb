import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Dialog } from './dialog.ts'
import type { Request, Response } from '../message/message.ts'
import { parseMessage } from '../message/parse.ts'
import { SipError } from '../grammar/scan.ts'

const parse = (start: string, headers: string[]): Request | Response => {
  const fixed = ['Via: SIP/2.0/UDP a.example;branch=z9hG4bK1', 'From: <sip:alice@a.example>;tag=a', 'Call-ID: c', 'CSeq: 7 INVITE']
  const to = start.startsWith('SIP/') ? 'To: <sip:bob@b.example>;tag=b' : 'To: <sip:bob@b.example>'
  return parseMessage(Buffer.from([start, ...fixed, to, ...headers, 'Content-Length: 0', '', ''].join('\r\n')))
}

const asked = (...headers: string[]): Request => parse('INVITE sip:bob@b.example SIP/2.0', headers) as Request
const answered = (...headers: string[]): Response => parse('SIP/2.0 200 OK', headers) as Response

test('callee: keeps the recorded route order, tags and CSeq', () => {
  const dialog = Dialog.ofRequest(asked('Contact: <sip:alice@1.2.3.4>', 'Record-Route: <sip:p2;lr>, <sip:p1;lr>'), 'us', 100)
  assert.deepEqual(dialog.request('BYE'), {
    method: 'BYE',
    uri: 'sip:alice@1.2.3.4',
    routes: ['<sip:p2;lr>', '<sip:p1;lr>'],
    from: '<sip:bob@b.example>;tag=us',
    to: '<sip:alice@a.example>;tag=a',
    callId: 'c',
    cseq: 101,
  })
  assert.equal(dialog.hop.host, 'p2')
  assert.equal(dialog.request('INFO').cseq, 102)
})

test('caller: reverses Record-Route; the 2xx replaces the route set', () => {
  const dialog = Dialog.ofResponse(
    answered('Record-Route: <sip:p2;lr>', 'Record-Route: <sip:p1;lr>'),
    'sip:bob@b.example',
    '<sip:alice@a.example>;tag=a',
  )
  assert.deepEqual(dialog.request('PRACK').routes, ['<sip:p1;lr>', '<sip:p2;lr>'])
  assert.equal(dialog.target, 'sip:bob@b.example')
  dialog.confirm(answered('Contact: <sip:bob@5.6.7.8>', 'Record-Route: <sip:p9;lr>'))
  const ack = dialog.request('ACK', 7)
  assert.deepEqual([ack.uri, ack.routes, ack.cseq, dialog.localCseq], ['sip:bob@5.6.7.8', ['<sip:p9;lr>'], 7, 8])
})

test('puts a strict router into the request line and the target at the end of the route (RFC 3261 §12.2.1.1)', () => {
  const dialog = Dialog.ofRequest(asked('Contact: <sip:alice@1.2.3.4>', 'Record-Route: <sip:strict;x=y?h=v>, <sip:p1;lr>'), 'us', 1)
  const { uri, routes } = dialog.request('BYE')
  assert.equal(uri, 'sip:strict;x=y')
  assert.deepEqual(routes, ['<sip:p1;lr>', '<sip:alice@1.2.3.4>'])
  assert.equal(dialog.hop.host, 'strict')
})

test('rejects a lower CSeq, accepts gaps', () => {
  const dialog = Dialog.ofRequest(asked('Contact: <sip:alice@1.2.3.4>'), 'us', 1)
  const numbered = (number: number): Request => ({ ...asked(), cseq: { number, method: 'INFO' } })
  assert.deepEqual(
    [9, 8, 9, 20].map((number) => dialog.takeInOrder(numbered(number))),
    [true, false, true, true],
  )
})

test('updates the target only from a reachable Contact', () => {
  const dialog = Dialog.ofRequest(asked('Contact: <sip:alice@1.2.3.4>'), 'us', 1)
  for (const contact of ['tel:+49301234', 'mailto:x@y.example']) dialog.refreshTarget(asked(`Contact: <${contact}>`))
  dialog.refreshTarget(asked())
  assert.equal(dialog.target, 'sip:alice@1.2.3.4')
  assert.equal(dialog.hop.host, '1.2.3.4')
  dialog.refreshTarget(asked('Contact: <sips:alice@9.9.9.9>'))
  assert.equal(dialog.hop.host, '9.9.9.9')
})

test('rejects an unreachable Contact or an unparsable Record-Route', () => {
  assert.throws(() => Dialog.ofRequest(asked('Contact: <tel:+49301234>'), 'us', 1), SipError)
  assert.throws(() => Dialog.ofRequest(asked('Contact: <sip:a@b>', 'Record-Route: <nonsense>'), 'us', 1), SipError)
  assert.equal(Dialog.ofRequest(asked(), 'us', 1).target, 'sip:alice@a.example')
})
