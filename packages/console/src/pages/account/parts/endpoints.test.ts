import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindOf, pageOfEndpoint } from './endpoints.ts'

test('derives kind and page from an id', () => {
  assert.equal(kindOf(''), undefined)
  assert.equal(kindOf('p0'), 'line')
  assert.equal(kindOf('s12'), 'sms')
  assert.equal(kindOf('df9add69-aaae-49c4-b02e-82bec08dda97'), 'flow')
  assert.equal(pageOfEndpoint('p3', '/v1/w1/phonelines/p3'), '/lines/w1/p3')
  assert.equal(pageOfEndpoint('g0', '/v1/groups/g0'), '/groups/g0')
  assert.equal(pageOfEndpoint('f0', '/v1/w0/faxlines/f0'), undefined)
})
