import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ResponseCounts } from './transports.ts'

test('counts responses by their first digit, but not requests and malformed messages', () => {
  const counts = new ResponseCounts()
  const sent = [
    'SIP/2.0 200 OK',
    'SIP/2.0 180 Ringing',
    'SIP/2.0 183 Session Progress',
    'SIP/2.0 900 What',
    'OPTIONS sip:a SIP/2.0',
    '',
    'SIP/2.0',
  ]
  for (const message of sent) counts.note('sent', Buffer.from(message))
  counts.note('received', Buffer.from('SIP/2.0 503 Service Unavailable'))
  assert.equal(counts.entries.length, 12)
  assert.deepEqual(
    counts.entries.flatMap(({ direction, class: digit, count }) => (count === 0 ? [] : [`${direction} ${digit} ${count}`])),
    ['sent 1xx 2', 'sent 2xx 1', 'received 5xx 1'],
  )
})
