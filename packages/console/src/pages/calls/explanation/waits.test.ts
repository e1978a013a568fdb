import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharesOf, waitedMs, waitsOf, type ExplainedTurn } from './waits.ts'

const notifications = (ms: ExplainedTurn['ms']): string[] => waitsOf({ ms }).map(({ step, fromMs, toMs }) => `${step} ${fromMs}-${toMs}`)

test('starts each wait at the end of the previous one and omits unknown ones', () => {
  assert.deepEqual(notifications({ silence: 500, endpoint: 300, voice: 100 }), ['silence 0-500', 'endpoint 500-800', 'voice 800-900'])
  assert.deepEqual(notifications({}), [])
})

test("counts the model as a part of the endpoint's time", () => {
  assert.deepEqual(sharesOf({ ms: { endpoint: 700, model: 400, clause: 250 } }), [
    { step: 'endpoint', ms: 50 },
    { step: 'model', ms: 400 },
    { step: 'clause', ms: 250 },
  ])
  assert.deepEqual(notifications({ endpoint: 600, model: 400, clause: 250 }), ['model 0-400', 'clause 400-650'])
})

test('takes the measured total, or else the sum of known parts', () => {
  assert.equal(waitedMs({ ms: { silence: 500, voice: 100, total: 640 } }), 640)
  assert.equal(waitedMs({ ms: { silence: 500, voice: 100 } }), 600)
  assert.equal(waitedMs({ ms: {} }), 0)
})
