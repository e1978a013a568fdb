// test: check
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { staleFiles } from '../packages/server/src/generate/generate.ts'

test('has generated files identical to the output of npm run generate', async () => {
  assert.deepEqual(await staleFiles(), [])
})
