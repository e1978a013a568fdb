import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readOptions } from './options.ts'

test('without a word the even recordings are played in calls, with the defaults of a flow', () => {
  const { direct, half, english, turnTaking, bargeIn } = readOptions([])
  assert.deepEqual(
    { direct, half, english, turnTaking, bargeIn },
    { direct: false, half: 'development', english: ['base'], turnTaking: ['normal'], bargeIn: ['words'] },
  )
})

test('held-out recordings have to be asked for, and lists are taken apart', () => {
  const options = readOptions(['--direct', '--held-out', '--english', 'base, tiny', '--turn-taking', 'quick,patient'])
  assert.equal(options.half, 'held-out')
  assert.deepEqual(options.english, ['base', 'tiny'])
  assert.deepEqual(options.turnTaking, ['quick', 'patient'])
})

test('what is not known is named', () => {
  assert.throws(() => readOptions(['--english', 'huge']), /--english: huge is none of base, tiny/)
  assert.throws(() => readOptions(['--calls', 'many']), /--calls: many is no number/)
})
