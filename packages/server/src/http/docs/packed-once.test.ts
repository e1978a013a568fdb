import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { packedOnce } from './mount-docs.ts'

test('loads and compresses a document once, and again only after a failure', async () => {
  let loads = 0
  const packed = packedOnce(async () => {
    loads += 1
    if (loads === 1) throw new Error('too many open files')
    return 'text'
  })
  await assert.rejects(packed(), /too many/)
  const all = await Promise.all([packed(), packed()])
  assert.deepEqual(
    [...all, await packed()].map((one) => gunzipSync(one).toString()),
    ['text', 'text', 'text'],
  )
  assert.equal(loads, 2)
})
