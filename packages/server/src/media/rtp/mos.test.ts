import assert from 'node:assert/strict'
import { test } from 'node:test'
import { meanOpinionScore } from './quality.ts'

const clean = { packetsReceived: 1000, packetsLost: 0, packetsRefused: 0, jitterMs: 0.1, roundTripMs: 20 }

/** Rounded to one decimal. */
const opinion = (other: Partial<typeof clean>): string => meanOpinionScore({ ...clean, ...other }).toFixed(1)

test('rates a stream without loss like a good telephone line', () => {
  assert.equal(opinion({}), '4.4')
  assert.equal(meanOpinionScore({ ...clean, roundTripMs: undefined }).toFixed(1), '4.4')
})

test('loss, jitter and delay lower the score within the scale', () => {
  assert.equal(opinion({ packetsReceived: 980, packetsLost: 20 }), '4.2')
  assert.equal(opinion({ packetsReceived: 900, packetsLost: 100 }), '3.4')
  assert.equal(opinion({ packetsReceived: 700, packetsLost: 300 }), '2.1')
  assert.equal(opinion({ jitterMs: 60 }), '4.3')
  assert.equal(opinion({ roundTripMs: 600 }), '3.5')
  assert.equal(opinion({ packetsReceived: 1, packetsLost: 999, roundTripMs: 5_000 }), '1.0')
})
