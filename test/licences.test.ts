// test: own process
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { licensedPackages } from '../packages/server/src/generate/generate.ts'

const root = join(import.meta.dirname, '..')

/** Licences that allow the project and every operator to redistribute the packages with their notices. */
const accepted = [
  'MIT',
  'MIT-0',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BlueOak-1.0.0',
  'BSD-3-Clause',
  'Apache-2.0',
  'Unlicense',
  '(MIT OR CC0-1.0)',
  'MPL-2.0',
  'MPL 2.0',
]

test('allows redistribution of every installed or shipped package', () => {
  const packages = licensedPackages()
  assert.ok(packages.length > 200)
  assert.deepEqual(
    packages.filter(({ licence }) => !accepted.includes(licence)),
    [],
  )
})

test('has the licences of the installed packages in the lock file', async () => {
  const differing: string[] = []
  for (const { name, version, licence } of licensedPackages()) {
    const text = await readFile(join(root, 'node_modules', name, 'package.json'), 'utf8').catch(() => undefined)
    if (text === undefined) continue // for another platform, or nested inside another package
    const notified = JSON.parse(text) as { version: string; license?: string }
    if (notified.version === version && notified.license !== undefined && notified.license !== licence)
      differing.push(`${name}: ${notified.license}`)
  }
  assert.deepEqual(differing, [])
})

test('names every package with a compiled program in third-party.md', async () => {
  const page = await readFile(join(root, 'docs/third-party.md'), 'utf8')
  const compiled: string[] = []
  for (const { name } of licensedPackages()) {
    const files = await readdir(join(root, 'node_modules', name), { recursive: true }).catch(() => [])
    if (files.some((file) => /\.(?:node|so|wasm)(?:\.\d+)*$/.test(file) || file === 'bin/node')) compiled.push(name)
  }
  assert.ok(compiled.length > 0)
  assert.deepEqual(
    compiled.filter((name) => !page.includes(`\`${name.replace(/[-/](?:linux|darwin|win32).*$/, '')}\``)),
    [],
  )
})
