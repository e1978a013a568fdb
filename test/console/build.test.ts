import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'

const root = join(import.meta.dirname, '../..')
const dist = join(root, 'packages/console/dist')
const build = () => promisify(execFile)(process.execPath, [join(root, 'packages/console/build/build.ts')])

test('the console is built once for the same sources, compressed, without anything from elsewhere', async () => {
  await build()
  const first = statSync(join(dist, 'index.html')).ino
  const { stderr } = await build()
  assert.equal(stderr, '', 'nothing changed, so nothing is built')
  assert.equal(statSync(join(dist, 'index.html')).ino, first)

  const scripts = globSync('assets/*.js', { cwd: dist })
  assert.ok(scripts.length > 5, 'each page is a file of its own')
  for (const file of globSync('assets/*.{js,css}.gz', { cwd: dist })) {
    const plain = readFileSync(join(dist, file.slice(0, -3)))
    assert.deepEqual(gunzipSync(readFileSync(join(dist, file))), plain)
    assert.deepEqual(brotliDecompressSync(readFileSync(join(dist, `${file.slice(0, -3)}.br`))), plain)
  }
  const page = readFileSync(join(dist, 'index.html'), 'utf8')
  for (const [, address = ''] of page.matchAll(/(?:src|href)="([^"]+)"/g)) assert.match(address, /^\/console\/assets\//)
  assert.doesNotMatch(page, /<style|<script>|style="|onload=/)
})

test('the schemas of the contract are not sent to browsers', async () => {
  await build()
  for (const file of globSync('assets/*.js', { cwd: dist }))
    assert.doesNotMatch(readFileSync(join(dist, file), 'utf8'), /additionalProperties/, `${file} drags the contract in`)
})
