import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endByLeg, endBySearch, Ending, serviceFailure } from './end.ts'

test('the first end is the end', async () => {
  const ending = new Ending()
  assert.equal(ending.end, undefined)
  const first = endByLeg('caller', { by: 'peer', cause: 'normal' })
  assert.equal(ending.set(first), true)
  assert.equal(ending.set(serviceFailure), false)
  assert.equal(await ending.over, first)
  assert.equal(ending.end, first)
})

test('the party that hangs up is named; a dead line and a silent one are no hang-up', () => {
  assert.equal(endByLeg('caller', { by: 'peer', cause: 'normal' }).reason, 'caller_hangup')
  assert.equal(endByLeg('callee', { by: 'peer', cause: 'normal' }).reason, 'callee_hangup')
  assert.equal(endByLeg('callee', { by: 'network', cause: 'media_timeout' }).reason, 'media_timeout')
  assert.equal(endByLeg('callee', { by: 'network', cause: 'failed' }).reason, 'failed')
  assert.equal(endByLeg('caller', { by: 'us', cause: 'failed' }).reason, 'service_failure')
})

test('what the caller hears is what was found', () => {
  const reasons = (['busy', 'no_answer', 'rejected', 'payment_required', 'unavailable', 'not_found'] as const).map((cause) => {
    const end = endBySearch(cause)
    assert.equal(end.cause, cause)
    return end.reason
  })
  assert.deepEqual(reasons, ['busy', 'no_answer', 'rejected', 'insufficient_funds', 'failed', 'failed'])
  const by = (['busy', 'payment_required', 'loop', 'failed'] as const).map((cause) => endBySearch(cause).by)
  assert.deepEqual(by, ['callee', 'service', 'service', 'network'])
})
