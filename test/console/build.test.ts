import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { takeIntoUse } from '../../packages/console/build/build.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { pages } from './page-table.ts'

const root = join(import.meta.dirname, '../..')
const dist = join(root, 'packages/console/dist')
const build = () => promisify(execFile)(process.execPath, [join(root, 'packages/console/build/build.ts')])

test('builds the console once for the same sources, compressed, without external resources', async () => {
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
  for (const [, address = ''] of page.matchAll(/(?:src|href)="([^"]+)"/g))
    assert.match(address, /^\/console\/(assets\/|icons\/|manifest\.webmanifest$)/)
  assert.doesNotMatch(page, /<style|<script>|style="|onload=/)
})

test("keeps the previous build's assets for a day, so that open pages can still load them", async (t) => {
  const folder = await temporaryFolder(t)
  const [place, built] = [join(folder, 'dist'), join(folder, 'dist-new')]
  const builtWith = (into: string, ...assets: string[]): void => {
    mkdirSync(join(into, 'assets'), { recursive: true })
    for (const file of ['index.html', ...assets.map((asset) => `assets/${asset}`)]) writeFileSync(join(into, file), into)
  }
  builtWith(place, 'same.js', 'old.js', 'older.js')
  const longAgo = statSync(join(place, 'index.html')).mtimeMs / 1000 - 25 * 3600
  utimesSync(join(place, 'assets/older.js'), longAgo, longAgo)
  builtWith(built, 'same.js', 'new.js')
  takeIntoUse(built, place)
  assert.deepEqual(globSync('**/*.*', { cwd: place }).toSorted(), ['assets/new.js', 'assets/old.js', 'assets/same.js', 'index.html'])
  for (const file of ['assets/same.js', 'index.html']) assert.equal(readFileSync(join(place, file), 'utf8'), built)
  assert.deepEqual(readdirSync(folder), ['dist'])
})

test("keeps the contract's schemas out of the browser bundle", async () => {
  await build()
  for (const file of globSync('assets/*.js', { cwd: dist }))
    assert.doesNotMatch(readFileSync(join(dist, file), 'utf8'), /additionalProperties/, `${file} drags the contract in`)
})

/** Bytes sent for a file to a browser that accepts gzip. */
const sentBytes = (file: string): number =>
  (statSync(join(dist, `${file}.gz`), { throwIfNoEntry: false }) ?? statSync(join(dist, file))).size

/** All files reachable from the page; leftovers of the previous build are excluded. */
const filesOfPage = (file = 'index.html', found = new Map<string, string>()): Map<string, string> => {
  const content = readFileSync(join(dist, file), 'utf8')
  found.set(file, content)
  for (const [name] of content.matchAll(/[\w-]+\.(?:js|css)\b/g)) {
    const asset = `assets/${name}`
    if (!found.has(asset) && existsSync(join(dist, asset))) filesOfPage(asset, found)
  }
  return found
}

/** Mantine class names in scripts and styles. */
const classesIn = (text: string): Set<string> => new Set(text.match(/\bm_[0-9a-f]{6,8}\b/g))

test('includes the styles of every Mantine component in use', async () => {
  await build()
  const styled = classesIn(readFileSync(join(root, 'node_modules/@mantine/core/styles.layer.css'), 'utf8'))
  const files = [...filesOfPage()]
  const inAll = (ending: string): Set<string> => classesIn(files.flatMap(([name, text]) => (name.endsWith(ending) ? [text] : [])).join())
  const used = [...inAll('.js')].filter((name) => styled.has(name))
  assert.ok(used.length > 100)
  const sent = inAll('.css')
  assert.deepEqual(
    used.filter((name) => !sent.has(name)),
    [],
    'missing in packages/console/src/shell/look/mantine.css',
  )
})

test('keeps the first load small, and loads the telephone later', async () => {
  await build()
  const page = readFileSync(join(dist, 'index.html'), 'utf8')
  const first = [...page.matchAll(/(?:src|href)="\/console\/(assets\/[^"]+\.(?:js|css))"/g)].map(([, file = '']) => file)
  assert.ok(first.length > 1)
  const firstBytes = first.reduce((sum, file) => sum + sentBytes(file), 0)
  assert.ok(firstBytes <= 240_000, `the first load is ${firstBytes} bytes`)
  assert.ok(!first.some((file) => file.includes('phone-chunk')))
  const newest = globSync('assets/phone-chunk-*.js', { cwd: dist }).toSorted(
    (one, other) => statSync(join(dist, other)).mtimeMs - statSync(join(dist, one)).mtimeMs,
  )[0]
  assert.ok(newest !== undefined && sentBytes(newest) <= 20_000, 'the telephone is larger than 20 kB')
})

test('lists the files of every page', async () => {
  await build()
  const listed = JSON.parse(readFileSync(join(dist, 'pages.json'), 'utf8')) as { pattern: string; files: string[] }[]
  for (const { path } of pages) {
    const { files = [] } = listed.find(({ pattern }) => new RegExp(pattern).test(path)) ?? {}
    assert.ok(files.length > 0, path)
    for (const file of files) assert.ok(existsSync(join(dist, file)), `${path}: ${file}`)
  }
})
