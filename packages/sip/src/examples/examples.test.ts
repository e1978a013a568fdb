import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { callOnce } from './two-phones.ts'

test('the example of the README runs', async () => {
  assert.deepEqual(await callOnce(), ['Ben: call from Anna', 'Anna: 180', 'Anna: answered, sound goes to 40002', 'Ben: ended by peer'])
})

test('the README shows the example as a program outside of the package would have it', async () => {
  const [readme, example] = await Promise.all([
    readFile(join(import.meta.dirname, '../../README.md'), 'utf8'),
    readFile(join(import.meta.dirname, 'two-phones.ts'), 'utf8'),
  ])
  const outside = example.replaceAll("from '../", "from '@offhook/sip/")
  assert.ok(readme.includes(`\`\`\`ts\n${outside}\`\`\``))
})
