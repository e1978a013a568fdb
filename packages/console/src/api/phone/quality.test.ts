import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countsOf, gradeOf, isSilent, qualityBetween, type Counts } from './quality.ts'

const counts = (part: Partial<Counts>): Counts => ({ at: 0, received: 0, lost: 0, jitterMs: 5, energy: 0, ...part })

test("reads the browser's statistics: received audio and the selected path", () => {
  const report = [
    { type: 'inbound-rtp', kind: 'audio', packetsReceived: 100, packetsLost: -1, jitter: 0.004, totalAudioEnergy: 0.2 },
    { type: 'candidate-pair', nominated: false, currentRoundTripTime: 9 },
    { type: 'candidate-pair', nominated: true, currentRoundTripTime: 0.03 },
  ]
  assert.deepEqual(countsOf(report, 7), { at: 7, received: 100, lost: 0, jitterMs: 4, rttMs: 30, energy: 0.2 })
  assert.deepEqual(countsOf([], 7), { at: 7, received: 0, lost: 0, jitterMs: 0, energy: 0 })
})

test('computes the loss between two samples', () => {
  const quality = qualityBetween(
    counts({ received: 100, lost: 10 }),
    counts({ at: 1000, received: 145, lost: 15, rttMs: 40, energy: 1 }),
    2000,
  )
  assert.deepEqual(quality, { lossPct: 10, jitterMs: 5, rttMs: 40, silentMs: 0 })
  assert.equal(gradeOf(quality), 'poor')
  assert.equal(gradeOf({ ...quality, lossPct: 3 }), 'fair')
  assert.equal(gradeOf({ ...quality, lossPct: 0 }), 'good')
})

test('reports silence without packets or any sound; allows pauses after the first sound', () => {
  const never = qualityBetween(counts({ received: 100 }), counts({ at: 1000, received: 150 }), 2500)
  assert.ok(isSilent(never))
  const quiet = qualityBetween(counts({ received: 100, energy: 1 }), counts({ at: 1000, received: 150, energy: 1 }), 0)
  assert.equal(quiet.silentMs, 0)
  const cut = qualityBetween(counts({ received: 100, energy: 1 }), counts({ at: 1000, received: 100, energy: 1 }), 1000)
  assert.equal(cut.silentMs, 2000)
  assert.ok(!isSilent(cut))
})
