import assert from 'node:assert/strict'
import { test } from 'node:test'
import { staleFiles } from '../packages/server/src/generate/generate.ts'

test('generated pages are fresh (npm run generate makes them)', async () => {
  assert.deepEqual(await staleFiles(), [])
})
