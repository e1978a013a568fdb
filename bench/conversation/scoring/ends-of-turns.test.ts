import assert from 'node:assert/strict'
import { test } from 'node:test'
import { areaUnderCurve, scoreDetector, scoreSilence, type JudgedSpan } from './ends-of-turns.ts'

const span = (isEnd: boolean, probability: number, pauseMs = 0): JudgedSpan => ({
  isEnd,
  probability,
  pauseMs,
  text: 'i would like a table for two',
  language: 'en',
  knownAfterMs: 300,
})
const pausesOf =
  (...pausesMs: number[]) =>
  (probability: number) =>
    pausesMs.map((pauseMs) => span(false, probability, pauseMs))
const pauses = pausesOf(250, 350, 450, 550, 650, 750, 850, 950, 1_050, 1_150)
const ends = (probability: number): JudgedSpan[] => Array.from({ length: 10 }, () => span(true, probability))

test('gives a detector that is always right no cuts at the shortest delay of eot-bench', () => {
  const { auc, cutAt300Ms, delayMsAt5Percent, service } = scoreDetector([...ends(1), ...pauses(0)])
  assert.deepEqual({ auc, cutAt300Ms, delayMsAt5Percent }, { auc: 1, cutAt300Ms: 0, delayMsAt5Percent: 200 })
  assert.equal(service.split, 0)
  assert.deepEqual(service.eventMs, { p50: 350, p95: 350 })
})

test('gives a detector that knows nothing no better points than silence alone', () => {
  const rows = [...ends(0.5), ...pauses(0.5)]
  const [blind, silence] = [scoreDetector(rows), scoreSilence(rows)]
  assert.equal(blind.auc, 0.5)
  // Six of ten pauses are longer than 600 ms.
  assert.deepEqual([blind.cutAt600Ms, silence.cutAt600Ms], [0.6, 0.6])
  assert.deepEqual([silence.delayMsAt5Percent, silence.delayMsAt10Percent], [1_150, 1_050])
  // 500 ms cut every pause of 0.5 s and more.
  assert.equal(silence.service.split, 0.8)
})

test('moves detectors to the same mean silence before it compares their cuts', () => {
  const rows = [...ends(0.9), ...ends(0.4), ...pauses(0.3), ...pauses(0.1)]
  const hasty = rows.map((row) => ({ ...row, probability: 1 - (1 - row.probability) ** 8 }))
  const [sober, moved] = [scoreDetector(rows), scoreDetector(hasty)]
  assert.ok(moved.service.meanSilenceMs < 400, `${moved.service.meanSilenceMs}`)
  for (const { serviceAt600Ms } of [sober, moved]) assert.ok(Math.abs(serviceAt600Ms.meanSilenceMs - 600) <= 1)
})

test('counts ties in the area under the curve as half', () => {
  assert.equal(areaUnderCurve([span(true, 0.5), span(true, 0.7), span(false, 0.5)]), 0.75)
})

test('reports an event no sooner than its words are known', () => {
  const late = ends(1).map((row) => ({ ...row, knownAfterMs: 800 }))
  assert.deepEqual(scoreDetector([...late, ...pauses(0)]).service.eventMs, { p50: 800, p95: 800 })
})
