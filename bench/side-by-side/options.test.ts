import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WrongOptions } from '../shared/asked.ts'
import { readOptions, rowNames } from './options.ts'

test('measures every row of Offhook alone when no options are given', () => {
  const { asterisk, rows, calls, rates, rounds } = readOptions([])
  assert.deepEqual(
    { asterisk, rows, calls, rates, rounds },
    { asterisk: undefined, rows: rowNames, calls: [100, 500], rates: [25, 50], rounds: 5 },
  )
})

test('splits lists', () => {
  const { rows, calls, rates } = readOptions(['--rows', 'bridge, echo', '--calls', '25,200', '--rate', '10'])
  assert.deepEqual({ rows, calls, rates }, { rows: ['bridge', 'echo'], calls: [25, 200], rates: [10] })
})

test('names a wrong option and measures nothing', () => {
  assert.throws(() => readOptions(['--rows', 'bridges']), /--rows: bridges is none of set-up, /)
  assert.throws(() => readOptions(['--calls', '100,']), /--calls: {2}is no number from 1 to 2000/)
  assert.throws(() => readOptions(['--rate', '500']), /--rate: 500 is no number from 1 to 100/)
  assert.throws(() => readOptions(['--rounds', '1.5']), /--rounds: 1.5 is no number/)
  assert.throws(() => readOptions(['--asterisk', '/no/such/asterisk']), /--asterisk: there is no \/no\/such\/asterisk/)
  assert.throws(() => readOptions(['--asterisk-libs', '/']), /--asterisk-libs is of use with --asterisk only/)
  assert.throws(() => readOptions(['--asterix', 'x']), /'--asterix'[^]*node bench\/run\.ts side-by-side/)
  assert.throws(() => readOptions(['bridge']), WrongOptions)
})
