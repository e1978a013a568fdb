import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '#test/chance/fast-check.ts'
import { traceparent } from './event-headers.ts'

test('a trace is named after its session, and every event is a span of it', () => {
  const sessionId = '6F1F2C0E-7d0b-4a53-9f0e-2a1b7f4c9d11'
  const [one, two] = [traceparent({ sessionId, id: 'a' }), traceparent({ sessionId, id: 'b' })]
  assert.match(one, /^00-6f1f2c0e7d0b4a539f0e2a1b7f4c9d11-[\da-f]{16}-01$/)
  assert.equal(one.slice(0, 36), two.slice(0, 36))
  assert.notEqual(one, two)
  assert.equal(one, traceparent({ sessionId, id: 'a' }))
})

test('whatever a session is called, its trace is valid', () => {
  const anySession = fc.oneof(fc.string(), fc.uuid(), fc.constant('00000000-0000-0000-0000-000000000000'))
  fc.assert(
    fc.property(anySession, fc.string(), (sessionId, id) => {
      assert.match(traceparent({ sessionId, id }), /^00-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-01$/)
    }),
  )
})
