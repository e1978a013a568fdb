import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  formatRAck,
  formatReason,
  formatReplaces,
  formatSessionExpires,
  hasElement,
  mediaType,
  parsePrivacy,
  parseRAck,
  parseReason,
  parseReplaces,
  parseRetryAfter,
  parseSeconds,
  parseSessionExpires,
  parseValue,
} from './headers.ts'
import { SipError } from './scan.ts'

const refused = (parse: (text: string) => unknown, ...texts: string[]): void => {
  for (const text of texts)
    assert.throws(
      () => parse(text),
      (error) => error instanceof SipError && error.status === 400,
      text,
    )
}

test('parses a value with parameters', () => {
  const { value, params } = parseValue('refer ; id=93809823')
  assert.deepEqual([value, params['id']], ['refer', '93809823'])
  assert.equal(mediaType('Application/SDP;charset="utf;8"'), 'application/sdp')
  refused(parseValue, '', ' ;a=b', 'x;;')
})

test('parses Session-Expires and Min-SE', () => {
  assert.deepEqual(parseSessionExpires('1800;refresher=UAC'), { seconds: 1800, refresher: 'uac' })
  assert.deepEqual(parseSessionExpires(' 90 '), { seconds: 90, refresher: undefined })
  assert.equal(formatSessionExpires({ seconds: 1800, refresher: 'uas' }), '1800;refresher=uas')
  assert.equal(formatSessionExpires({ seconds: 90, refresher: undefined }), '90')
  refused(parseSessionExpires, '', 'soon', '-1', '1800;refresher=me', '4294967296')
})

test('parses RAck', () => {
  assert.deepEqual(parseRAck('776656 \t 1 INVITE'), { rseq: 776656, cseq: 1, method: 'INVITE' })
  assert.equal(formatRAck({ rseq: 1, cseq: 2, method: 'INVITE' }), '1 2 INVITE')
  refused(parseRAck, '', '1 2', '1 2 INVITE x', 'a 2 INVITE', '1 2147483648 INVITE', '1 2 IN/VITE')
})

test('parses Replaces', () => {
  const replaces = { callId: '12345@192.0.2.1', toTag: 'a', fromTag: 'b', earlyOnly: true }
  assert.deepEqual(parseReplaces('12345@192.0.2.1;from-tag=b;to-tag=a;early-only'), replaces)
  assert.deepEqual(parseReplaces(formatReplaces(replaces)), replaces)
  assert.equal(formatReplaces({ ...replaces, earlyOnly: false }), '12345@192.0.2.1;to-tag=a;from-tag=b')
  refused(parseReplaces, '', 'x', 'x;to-tag=a', 'x;from-tag=b', ';to-tag=a;from-tag=b')
})

test('parses Retry-After with comment and parameters', () => {
  assert.equal(parseRetryAfter('18000;duration=3600'), 18000)
  assert.equal(parseRetryAfter('120 (I am in a meeting)'), 120)
  assert.equal(parseRetryAfter('5(x)'), 5)
  refused(parseRetryAfter, '', 'later', '949302838503028349304023988')
})

test('parses Reason', () => {
  assert.deepEqual(parseReason('q.850 ;cause=16;text="Normal \\"clearing\\""'), { protocol: 'Q.850', cause: 16, text: 'Normal "clearing"' })
  assert.deepEqual(parseReason('SIP'), { protocol: 'SIP', cause: undefined, text: undefined })
  assert.equal(
    formatReason({ protocol: 'SIP', cause: 200, text: 'Call completed elsewhere' }),
    'SIP;cause=200;text="Call completed elsewhere"',
  )
  refused(parseReason, 'SIP;cause=many')
})

test('parses Privacy, seconds and option tags', () => {
  assert.deepEqual(parsePrivacy('User; ID ;critical'), ['user', 'id', 'critical'])
  assert.equal(parseSeconds(' 3600 '), 3600)
  refused(parseSeconds, '', '1.5', '4294967296')
  assert.ok(hasElement(['timer, 100rel', 'Replaces'], 'replaces'))
  assert.ok(!hasElement(['timer,100rel'], 'rel'))
  assert.ok(!hasElement([], 'timer'))
})
