import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { callOnce } from './two-phones.ts'

test('runs the README example', async () => {
  assert.deepEqual(await callOnce(), ['Ben: call from Anna', 'Anna: 180', 'Anna: answered, sound goes to 40002', 'Ben: ended by peer'])
})

test('shows the example in the README with package imports', async () => {
  const [readme, example] = await Promise.all([
    readFile(join(import.meta.dirname, '../../README.md'), 'utf8'),
    readFile(join(import.meta.dirname, 'two-phones.ts'), 'utf8'),
  ])
  const outside = example.replaceAll("from '../", "from '@offhook/sip/")
  assert.ok(readme.includes(`\`\`\`ts\n${outside}\`\`\``))
})
