import assert from 'node:assert/strict'
import { test } from 'node:test'
import { queryBytes } from './sms-gateway.ts'

const read = (query: string) =>
  Object.fromEntries([...queryBytes(`/path?${query}`)].map(([name, bytes]) => [name, bytes.toString('latin1')]))

test('decodes query fields as bytes', () => {
  assert.deepEqual(read('a=x+y%2B%26&b=%00%FF%d8%3D'), { a: 'x y+&', b: '\0\xff\xd8=' })
  assert.deepEqual(read('a=1&a=2&%62'), { a: '2', b: '' })
  assert.deepEqual(read('a=%&b=%4&c=%zz&d=50%%41'), { a: '%', b: '%4', c: '%zz', d: '50%A' })
  assert.equal(queryBytes('/path').size, 0)
})
