import assert from 'node:assert/strict'
import { test } from 'node:test'
import { framesToSkip, shiftOf } from './listen-again.ts'

const changes = [1000, 2100, 4000, 4700, 9000].map((ms, nth) => ({
  kind: nth % 2 === 0 ? ('started' as const) : ('stopped' as const),
  at: ms * 8,
  told: ms * 8 + 512,
}))
/** Times noted by the call: shifted, and only as exact as the machine was idle. */
const call = (shift: number, jitter: readonly number[]) =>
  changes.map(({ kind, at }, nth) => ({
    speaks: kind === 'started',
    atMs: at / 8 - shift + (jitter[nth] ?? 0),
    sample: at - 8 * shift,
  }))

test("finds the time shift of a call by the detector's changes", () => {
  assert.equal(shiftOf(call(180, [0, 0, 0, 0, 0]), { changes }), 180)
  assert.ok(Math.abs(shiftOf(call(-340, [3, -8, 12, 0, 5]), { changes }) + 340) <= 12)
  assert.equal(shiftOf([], { changes }), 0)
})

test('aligns detector windows with those of the call', () => {
  assert.equal(framesToSkip(call(60, []), { changes }), 3)
  assert.equal(framesToSkip(call(-60, []), { changes }), 5, 'the recording began three frames later: five more make eight')
  assert.equal(framesToSkip([{ speaks: true, atMs: 1000 }], { changes }), 0, 'an older call did not count samples')
})
