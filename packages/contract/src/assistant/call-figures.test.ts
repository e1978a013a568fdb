import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exceeded, measured, percentile, sumOfFigures, unmeasured, type CallFigures } from './call-figures.ts'

const figures: CallFigures = {
  responsesMs: [400, 2_600, 500],
  stopsMs: [300],
  sentences: 3,
  cutOffs: 1,
  falseStops: 0,
  missedInterruptions: 0,
  words: 40,
  wordErrors: 3,
}

test('names figure and limit of everything beyond a limit', () => {
  assert.deepEqual(
    exceeded({ response_p95_ms: 2_000, response_p50_ms: 500, cut_offs: 0, word_error_percent: 7.5, stop_p95_ms: 300 }, figures),
    ['response_p95_ms is 2600, and the limit is 2000.', 'cut_offs is 1, and the limit is 0.'],
  )
  assert.deepEqual(exceeded({ word_error_percent: 7 }, figures), ['word_error_percent is 7.5, and the limit is 7.'])
})

test('names limits without a figure instead of passing them', () => {
  const typed = { responsesMs: [400] }
  assert.deepEqual(unmeasured({ response_p95_ms: 1_000, cut_offs: 0, stop_p95_ms: 500 }, typed), ['stop_p95_ms', 'cut_offs'])
  assert.deepEqual(exceeded({ cut_offs: 0 }, typed), [])
})

test('sums the figures of several calls', () => {
  const both = sumOfFigures([figures, { responsesMs: [100] }, { ...figures, responsesMs: [] }])
  assert.deepEqual([both.responsesMs, both.cutOffs, both.words, measured.word_error_percent(both)], [[400, 2_600, 500, 100], 2, 80, 7.5])
  assert.deepEqual(sumOfFigures([{ responsesMs: [] }]), { responsesMs: [] })
})

test('takes the nearest rank as percentile', () => {
  assert.deepEqual([percentile([3, 1, 2], 0.5), percentile([3, 1, 2], 0.95), percentile([], 0.5)], [2, 3, undefined])
})
