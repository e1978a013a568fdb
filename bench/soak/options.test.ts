import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WrongOptions } from '../shared/asked.ts'
import { readOptions } from './options.ts'

test('defaults to an hour', () => {
  assert.equal(readOptions([]).minutes, 60)
  assert.deepEqual(readOptions(['--minutes', '10', '--max-timers', '2']), {
    minutes: 10,
    limits: { resident: 0.5, retained: 0.2, descriptors: 0.2, timers: 2 },
  })
})

test('names a wrong option', () => {
  assert.throws(() => readOptions(['--minutes', 'long']), /--minutes: long is no number from 8 on/)
  assert.throws(() => readOptions(['--minutes', '1']), /--minutes: 1 is no number from 8 on/)
  assert.throws(() => readOptions(['--max-resident', '']), /--max-resident/)
  assert.throws(() => readOptions(['--hours', '1']), /'--hours'[^]*node bench\/run\.ts soak/)
  assert.throws(() => readOptions(['60']), WrongOptions)
})
