import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { sendOnce } from './message-and-receipt.ts'

test('runs the README example', async () => {
  const noticed = await sendOnce()
  assert.equal(noticed[0], 'SMSC: "Hello" for 491701234567')
  assert.deepEqual(noticed.slice(1).toSorted(), ['ESME: receipt m1 DELIVERED', 'ESME: taken as m1'])
})

test('shows the example in the README with package imports', async () => {
  const [readme, example] = await Promise.all([
    readFile(join(import.meta.dirname, '../../README.md'), 'utf8'),
    readFile(join(import.meta.dirname, 'message-and-receipt.ts'), 'utf8'),
  ])
  const outside = example.replaceAll("from '../", "from '@offhook/smpp/")
  assert.ok(readme.includes(`\`\`\`ts\n${outside}\`\`\``))
})
