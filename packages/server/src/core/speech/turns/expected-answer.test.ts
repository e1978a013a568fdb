import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectedAnswer } from './expected-answer.ts'

test('lists the options, and says that an answer is expected', () => {
  const expectsOptions = ['Vertrieb', 'Technik']
  assert.equal(expectedAnswer({ expects: 'anything', expectsOptions }), undefined)
  assert.deepEqual(expectedAnswer({ expects: 'options', expectsOptions }), { phrases: expectsOptions })
  for (const expects of ['options', 'yes_no', 'name', 'digits'] as const) assert.deepEqual(expectedAnswer({ expects }), { phrases: [] })
})
