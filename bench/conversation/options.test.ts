import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { WrongOptions } from '../shared/asked.ts'
import { readOptions, sampleOf } from './options.ts'

test('plays the even recordings in calls with the flow defaults when no options are given', () => {
  const { direct, half, english, turnTaking, bargeIn } = readOptions([])
  assert.deepEqual(
    { direct, half, english, turnTaking, bargeIn },
    { direct: false, half: 'development', english: ['base'], turnTaking: ['normal'], bargeIn: ['words'] },
  )
})

test('includes held-out recordings only with the option, and splits lists', () => {
  const options = readOptions(['--direct', '--held-out', '--english', 'base, tiny', '--turn-taking', 'quick,patient'])
  assert.equal(options.half, 'held-out')
  assert.deepEqual(options.english, ['base', 'tiny'])
  assert.deepEqual(options.turnTaking, ['quick', 'patient'])
})

test('names an unknown option or value', () => {
  assert.throws(() => readOptions(['--english', 'huge']), /--english: huge is none of base, tiny/)
  assert.throws(() => readOptions(['--calls', 'many']), /--calls: many is no number/)
  assert.throws(() => readOptions(['--loud']), /'--loud'[^]*node bench\/run\.ts conversation/)
  assert.throws(() => readOptions(['--every']), WrongOptions)
})

test('rejects measures in calls that only the direct mode has', () => {
  assert.throws(() => readOptions(['--measures', 'previews']), /--measures: previews is none of turns, interruptions/)
  assert.deepEqual(readOptions(['--direct', '--measures', 'previews']).measures, ['previews'])
})

test('plays a sample in calls unless all are requested, and all in direct mode', () => {
  const every = (...argv: string[]): number => readOptions(argv).every
  assert.deepEqual([every(), every('--all'), every('--direct'), every('--direct', '--every', '3')], [4, 1, 1, 3])
  assert.deepEqual(sampleOf([1, 2, 3, 4, 5], { every: 4 }), [1, 5])
})

test('compares turn models from any folder', () => {
  const { turnModels } = readOptions(['--direct', '--turn-model', '/models/a.onnx, b.onnx'])
  assert.deepEqual(turnModels, ['/models/a.onnx', resolve('b.onnx')])
  assert.deepEqual(readOptions([]).turnModels, [])
})
