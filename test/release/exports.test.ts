import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { filesOf, root, specifiersOf } from '#test/architecture/import-graph.ts'
import { libraryManifest } from '../../release/build/manifest.ts'
import { libraries, workspaceOf } from '../../release/build/packages.ts'

const files = filesOf('{packages,test,bench,release,examples}/**/*.ts', 'packages/console/src/**/*.tsx')
const packageOf = (file: string): string | undefined => /^packages\/([^/]+)\//.exec(file)?.[1]
const imports = files.flatMap((file) => specifiersOf(file).map((specifier) => [packageOf(file), specifier] as const))

for (const library of libraries) {
  const { name, exports = {} } = workspaceOf(library)
  const entries = Object.keys(exports)

  test(`${name}: names every entry point, and each is a file`, () => {
    assert.ok(entries.length > 0)
    assert.deepEqual(entries, entries.toSorted())
    for (const [entry, file] of Object.entries(exports)) {
      assert.match(`${entry} ${file}`, /^\.(\/[\w./-]+\.ts)? \.\/src\/[\w./-]+\.ts$/)
      assert.ok(existsSync(join(root, 'packages', library.workspace, file)), file)
    }
  })

  test(`${name}: names no entry point that only it uses`, () => {
    const used = new Set(imports.filter(([from]) => from !== library.workspace).map(([, specifier]) => specifier))
    const unused = entries.filter((entry) => entry !== '.' && !used.has(name + entry.slice(1)))
    assert.deepEqual(unused, [])
  })

  test(`${name}: publishes these entry points, with and without .ts, and none of its tests`, () => {
    const { exports: published } = libraryManifest(library) as { exports: Record<string, unknown> }
    assert.ok('./package.json' in published)
    for (const entry of entries) {
      const isForTests = entry.includes('/testing/')
      for (const one of [entry, entry.replace(/\.ts$/, '')]) assert.equal(one in published, !isForTests, one)
    }
    assert.ok(!Object.keys(published).some((entry) => entry.includes('*')))
  })
}
