import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeGreedily, type Step, type Written, marksOf } from './greedy.ts'

const vocabulary = ['', '</s>', ' yes', ' hello', '.', '?', ',', '...', '"', ' 7', '�', '。']
const end = 1
const marks = marksOf(vocabulary.length, (word) => (word === end ? '' : vocabulary[word]!.trim()))

/** Scores for these probabilities. */
const scores = (likely: Record<string, number>): Float32Array =>
  Float32Array.from(vocabulary, (word) => Math.log(likely[word] ?? 0) || (likely[word] === 1 ? 0 : -1e9))

const write = (steps: readonly Record<string, number>[], maxLength = 20): Promise<Written> => {
  const all = steps.map(scores).map((last) => ({ last, at: () => last }))
  const stepAt = (nth: number): Step => ({
    scores: all[nth] ?? assert.fail('asked for too many words'),
    after: () => Promise.resolve().then(() => stepAt(nth + 1)),
  })
  const signal = new AbortController().signal
  return writeGreedily({ start: stepAt(0), end, maxLength, forbid: () => {}, isNumber: () => false, marks, signal })
}

const rounded = (tail: object = {}): object =>
  Object.fromEntries(Object.entries(tail).map(([name, value]) => [name, Number(value.toFixed(3))]))

test('classifies punctuation marks by their meaning for the sentence', () => {
  assert.deepEqual(Object.fromEntries([...marks].map(([word, mark]) => [vocabulary[word], mark])), {
    '.': 'stop',
    '。': 'stop',
    '?': 'question',
    ',': 'goesOn',
    '...': 'goesOn',
    '"': 'other',
  })
})

test('takes the tail from the step that wrote the first mark after the last word', async () => {
  const { words, tail } = await write([
    { ' hello': 1 },
    { ',': 0.6, '.': 0.3, '</s>': 0.1 },
    { ' yes': 1 },
    { '.': 0.5, '?': 0.2, ',': 0.1, '...': 0.05, '</s>': 0.04, '"': 0.01, ' hello': 0.1 },
    { '"': 0.9, '</s>': 0.1 },
    { '</s>': 1 },
  ])
  assert.deepEqual(words.map((word) => vocabulary[word]).join(''), ' hello, yes."')
  assert.deepEqual(rounded(tail), { stop: 0.5, question: 0.2, goesOn: 0.15, end: 0.04, word: 0.1 })
})

test('the tail covers an end without a mark and an output that reached its maximum length', async () => {
  const ended = await write([{ ' yes': 1 }, { '</s>': 0.7, ' hello': 0.3 }])
  assert.deepEqual(rounded(ended.tail), { stop: 0, question: 0, goesOn: 0, end: 0.7, word: 0.3 })
  const cut = await write([{ ' yes': 1 }, { '.': 1 }, { ' hello': 1 }], 3)
  assert.deepEqual(cut.tail, { stop: 0, question: 0, goesOn: 0, end: 0, word: 1 })
})

test('returns no tail when repeated words were removed', async () => {
  const { words, tail } = await write(Array.from({ length: 20 }, () => ({ ' yes': 1 })))
  assert.deepEqual([words.length, tail], [4, undefined])
})
