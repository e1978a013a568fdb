import assert from 'node:assert/strict'
import { test } from 'node:test'
import { meanOpinionScore } from './mos.ts'

const clean = { packetsReceived: 1000, packetsLost: 0, packetsRefused: 0, jitterMs: 0.1, roundTripMs: 20 }

/** Rounded as people say it. */
const opinion = (other: Partial<typeof clean>): string => meanOpinionScore({ ...clean, ...other }).toFixed(1)

test('a stream without loss is as good as telephones are', () => {
  assert.equal(opinion({}), '4.4')
  assert.equal(meanOpinionScore({ ...clean, roundTripMs: undefined }).toFixed(1), '4.4')
})

test('loss, jitter and delay make it worse, and it never leaves the scale', () => {
  assert.equal(opinion({ packetsReceived: 980, packetsLost: 20 }), '4.2')
  assert.equal(opinion({ packetsReceived: 900, packetsLost: 100 }), '3.4')
  assert.equal(opinion({ packetsReceived: 700, packetsLost: 300 }), '2.1')
  assert.equal(opinion({ jitterMs: 60 }), '4.3')
  assert.equal(opinion({ roundTripMs: 600 }), '3.5')
  assert.equal(opinion({ packetsReceived: 1, packetsLost: 999, roundTripMs: 5_000 }), '1.0')
})
