import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rollout } from '#core/kernel/ports/store/assistant.ts'
import { chooseVersion } from './versions.ts'

const rollout: Rollout = { stable: 1, candidate: 2, percent: 20, by: 'caller', previous: undefined }
const calls = Array.from({ length: 5_000 }, (_, at) => ({ callId: `call ${at}`, caller: `49211${at}` }))
const share = (set: Rollout, flowId = 'flow'): number =>
  calls.filter((call) => chooseVersion(set, flowId, call) === 2).length / calls.length

test('gives the candidate to the configured percentage of calls', () => {
  assert.ok(Math.abs(share(rollout) - 0.2) < 0.02)
  assert.deepEqual([share({ ...rollout, percent: 0 }), share({ ...rollout, percent: 100 })], [0, 1])
  assert.equal(share({ ...rollout, candidate: undefined }), 0)
})

test('gives a repeat caller the same version, independently per flow', () => {
  const chosen = calls.map((call) => chooseVersion(rollout, 'flow', call))
  assert.deepEqual(
    calls.map(({ caller }) => chooseVersion(rollout, 'flow', { callId: 'another', caller })),
    chosen,
  )
  assert.notDeepEqual(
    calls.map((call) => chooseVersion(rollout, 'other', call)),
    chosen,
  )
  const more = calls.map((call) => chooseVersion({ ...rollout, percent: 30 }, 'flow', call))
  assert.ok(
    chosen.every((version, at) => version === 1 || more[at] === 2),
    'who has the candidate keeps it when others get it, too',
  )
})

test('chooses per call with `by: call` and for callers without a number', () => {
  const caller = calls[0]?.caller
  const versions = calls.map(({ callId }) => chooseVersion({ ...rollout, by: 'call' }, 'flow', { callId, caller }))
  assert.equal(new Set(versions).size, 2)
  const unknown = calls.map(({ callId }) => chooseVersion(rollout, 'flow', { callId, caller: undefined }))
  assert.equal(new Set(unknown).size, 2)
})
