import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endByLeg, endBySearch } from './end.ts'

test('names the party that hung up, and distinguishes network failure and media timeout', () => {
  assert.equal(endByLeg('caller', { by: 'peer', cause: 'normal' }).reason, 'caller_hangup')
  assert.equal(endByLeg('callee', { by: 'peer', cause: 'normal' }).reason, 'callee_hangup')
  assert.equal(endByLeg('callee', { by: 'network', cause: 'media_timeout' }).reason, 'media_timeout')
  assert.equal(endByLeg('callee', { by: 'network', cause: 'failed' }).reason, 'failed')
  assert.equal(endByLeg('caller', { by: 'us', cause: 'failed' }).reason, 'service_failure')
})

test('maps the cause of an unanswered call to its end reason', () => {
  const reasons = (['busy', 'no_answer', 'rejected', 'payment_required', 'unavailable', 'not_found'] as const).map((cause) => {
    const end = endBySearch(cause)
    assert.equal(end.cause, cause)
    return end.reason
  })
  assert.deepEqual(reasons, ['busy', 'no_answer', 'rejected', 'insufficient_funds', 'failed', 'failed'])
  const by = (['busy', 'payment_required', 'loop', 'failed'] as const).map((cause) => endBySearch(cause).by)
  assert.deepEqual(by, ['callee', 'service', 'service', 'network'])
})
