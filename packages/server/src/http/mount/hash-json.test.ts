import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { setImmediate as breathe } from 'node:timers/promises'
import { hashJson } from './idempotency.ts'

const immediately = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex')

test('hashes in chunks to the same value as the whole, so that stored requests still match', async () => {
  const mebibyte = 1024 * 1024
  const values = [
    ['/v1/x', undefined],
    ['/v1/x', { a: 1, b: ['short', null] }],
    ['/v1/x', { filename: 'a.pdf', base64Content: 'AbC+/9=='.repeat(400_000), after: 'z' }],
    ['/v1/x', ['"\\\n\u0001'.repeat(100_000), '', '🙂'.repeat(mebibyte), `a${'🙂'.repeat(mebibyte)}`]],
    ['/v1/x', { a: 'x'.repeat(mebibyte), b: 'x'.repeat(mebibyte + 1), c: `${'x'.repeat(mebibyte - 1)}\ud83d` }],
  ]
  for (const value of values) assert.equal(await hashJson(value, breathe), immediately(value))
})

test('yields to the event loop while hashing a large body', async () => {
  let turns = 0
  const count = (): void => {
    turns++
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  await hashJson(['/v1/x', 'a'.repeat(8 * 1024 * 1024)], breathe)
  clearImmediate(next)
  assert.ok(turns >= 7, `${turns} turns`)
})
