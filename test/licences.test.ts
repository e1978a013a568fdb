import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { licensedPackages } from '../packages/server/src/generate/licences.ts'

const root = join(import.meta.dirname, '..')

/** Licences that allow us and every operator to pass the packages on, when the notices are kept. */
const accepted = [
  'MIT',
  'MIT-0',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'Unlicense',
  '(MIT OR CC0-1.0)',
  'MPL-2.0',
  'MPL 2.0',
]

test('each installed or shipped package has a licence that allows passing it on', () => {
  const packages = licensedPackages()
  assert.ok(packages.length > 200)
  assert.deepEqual(
    packages.filter(({ licence }) => !accepted.includes(licence)),
    [],
  )
})

test('licences in the lock file are those of the installed packages', async () => {
  const differing: string[] = []
  for (const { name, version, licence } of licensedPackages()) {
    const text = await readFile(join(root, 'node_modules', name, 'package.json'), 'utf8').catch(() => undefined)
    if (text === undefined) continue // made for another machine, or kept inside another package
    const notified = JSON.parse(text) as { version: string; license?: string }
    if (notified.version === version && notified.license !== undefined && notified.license !== licence) differing.push(`${name}: ${notified.license}`)
  }
  assert.deepEqual(differing, [])
})

test('every package with a compiled program is named in third-party.md', async () => {
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
