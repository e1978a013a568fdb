import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxVariants, numbersOf, untried, variantsOf } from './variants.ts'

const words = {
  silence: (ms: number) => `${ms} ms`,
  allowAfter: (ms: number) => `after ${ms} ms`,
  turnTaking: (name: string) => name,
  strategy: (name: string) => name,
}
const nothing = { from: '', to: '', step: '' } as const

test('includes both ends of a range; accepts a single number', () => {
  assert.deepEqual(numbersOf({ from: 300, to: 1200, step: 300 }), [300, 600, 900, 1200])
  assert.deepEqual(numbersOf({ from: 300, to: 1000, step: 300 }), [300, 600, 900])
  assert.deepEqual(numbersOf({ from: 300, to: 900, step: '' }), [300, 900])
  assert.deepEqual(numbersOf({ from: 300, to: '', step: 100 }), [300])
  assert.deepEqual(numbersOf({ from: 300, to: 100, step: 100 }), [300])
  assert.deepEqual(numbersOf(nothing), [])
  assert.equal(numbersOf({ from: 0, to: 1e9, step: 1 }).length, maxVariants + 1, 'more than can be asked for are not counted out')
})

test('tries every combination, named by its differences', () => {
  const form = {
    silence: { ...nothing, from: 500 },
    allowAfter: { ...nothing, from: 200 },
    turnTakings: ['quick', 'patient'],
    strategies: ['words'],
  }
  assert.deepEqual(variantsOf(form, words), [
    {
      name: '500 ms · quick · words · after 200 ms',
      settings: { vad: { end_of_turn_silence_ms: 500 }, turn_taking: 'quick', barge_in: { strategy: 'words', allow_after_ms: 200 } },
    },
    {
      name: '500 ms · patient · words · after 200 ms',
      settings: { vad: { end_of_turn_silence_ms: 500 }, turn_taking: 'patient', barge_in: { strategy: 'words', allow_after_ms: 200 } },
    },
  ])
})

test('has no variant without values to try', () => {
  assert.deepEqual(variantsOf({ ...untried, silence: nothing }, words), [])
  assert.equal(variantsOf(untried, words).length, 4)
})
