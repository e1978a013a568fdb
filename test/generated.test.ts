import assert from 'node:assert/strict'
import { test } from 'node:test'
import { staleFiles } from '../packages/server/src/generate/generate.ts'

test('generated files are as npm run generate writes them', async () => {
  assert.deepEqual(await staleFiles(), [])
})
