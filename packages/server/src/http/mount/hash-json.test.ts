import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { hashJson } from './hash-json.ts'

const immediately = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex')

test('hashed in pieces is hashed as a whole: requests that were kept before stay known', async () => {
  const mebibyte = 1024 * 1024
  const values = [
    ['/v1/x', undefined],
    ['/v1/x', { a: 1, b: ['short', null] }],
    ['/v1/x', { filename: 'a.pdf', base64Content: 'AbC+/9=='.repeat(400_000), after: 'z' }],
    ['/v1/x', ['"\\\n\u0001'.repeat(100_000), '', '🙂'.repeat(mebibyte), `a${'🙂'.repeat(mebibyte)}`]],
    ['/v1/x', { a: 'x'.repeat(mebibyte), b: 'x'.repeat(mebibyte + 1), c: `${'x'.repeat(mebibyte - 1)}\ud83d` }],
  ]
  for (const value of values) assert.equal(await hashJson(value), immediately(value))
})

test('while a large body is hashed, others have their turn', async () => {
  let turns = 0
  const count = (): void => {
    turns++
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  await hashJson(['/v1/x', 'a'.repeat(8 * 1024 * 1024)])
  clearImmediate(next)
  assert.ok(turns >= 7, `${turns} turns`)
})
