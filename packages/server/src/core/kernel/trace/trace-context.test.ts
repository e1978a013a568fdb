import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '#test/chance/fast-check.ts'
import { callTrace, headersOf, attemptSpanId, incomingTrace, readTraceparent } from './tracer.ts'

const callId = '6F1F2C0E-7d0b-4a53-9f0e-2a1b7f4c9d11'
const theirs = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00', tracestate: 'vendor=1' }

test('derives the trace id from the call and one span id per attempt', () => {
  const of = (eventId: string, attempt = 1, channel = 'webhook'): string =>
    headersOf(undefined, { callId }, attemptSpanId(eventId, { channel, attempt })).traceparent ?? ''
  assert.match(of('a'), /^00-6f1f2c0e7d0b4a539f0e2a1b7f4c9d11-[\da-f]{16}-01$/)
  assert.equal(of('a').slice(0, 36), of('b').slice(0, 36))
  assert.equal(new Set([of('a'), of('b'), of('a', 2), of('a', 1, 'fallback')]).size, 4)
  assert.equal(of('a'), of('a'))
})

test('creates a valid trace for any call and event id', () => {
  const anyCall = fc.oneof(fc.string(), fc.uuid(), fc.constant('00000000-0000-0000-0000-000000000000'))
  fc.assert(
    fc.property(anyCall, fc.string(), (id, eventId) => {
      const { traceparent } = headersOf(undefined, { callId: id }, attemptSpanId(eventId, { channel: 'webhook', attempt: 1 }))
      assert.deepEqual(readTraceparent(traceparent)?.sampled, true)
    }),
  )
})

test('continues a foreign trace: unchanged without a tracer, as a child span with one', () => {
  const call = { callId, trace: theirs }
  assert.deepEqual(headersOf(undefined, call, '00f067aa0ba902b7'), theirs)
  const asked: unknown[] = []
  const tracer = {
    samples: (...question: unknown[]) => (asked.push(question), false),
    notify: () => assert.fail('nobody wants to know of it'),
  }
  assert.deepEqual(headersOf(tracer, call, '00f067aa0ba902b7'), {
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-00',
    tracestate: 'vendor=1',
  })
  assert.deepEqual(asked, [['0af7651916cd43dd8448eb211c80319c', false]])
  assert.equal(callTrace(tracer, call), undefined)
})

test('ignores an invalid traceparent', () => {
  const good = '0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331'
  for (const traceparent of [
    `00-${good}`,
    `00-${good}-0`,
    `ff-${good}-01`,
    `00-${good}-01-more`,
    `00-${good.toUpperCase()}-01`,
    '',
    1,
    undefined,
  ])
    assert.equal(incomingTrace({ traceparent }), undefined)
  assert.equal(incomingTrace({ traceparent: `00-${'0'.repeat(32)}-b7ad6b7169203331-01` }), undefined)
  assert.equal(incomingTrace({ traceparent: `00-0af7651916cd43dd8448eb211c80319c-${'0'.repeat(16)}-01` }), undefined)
  assert.deepEqual(incomingTrace({ traceparent: `01-${good}-03-more`, tracestate: 'x'.repeat(513) }), { traceparent: `01-${good}-03-more` })
})
