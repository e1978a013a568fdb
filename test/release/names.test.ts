import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { packageFolders } from '../../release/cut/set-version.ts'
import { onnxRuntimes } from '../../release/build/onnxruntime.ts'
import { serviceManifest } from '../../release/build/manifest.ts'
import { libraries, service, workspaceOf } from '../../release/build/packages.ts'

const root = join(import.meta.dirname, '../..')

/** npm's registry has a package `offhook` of somebody else. */
test('names every package in the scope @offhook, and the command offhook', () => {
  const workspaces = packageFolders(root).slice(1)
  const names = workspaces.map((folder) => (JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as { name: string }).name)
  const published = [...libraries, service].map((one) => workspaceOf(one).name)
  for (const name of [...names, ...published, ...Object.keys(onnxRuntimes())]) assert.match(name, /^@offhook\/[a-z0-9-]+$/)
  const manifest = serviceManifest(service, onnxRuntimes()) as { name: string; bin: Record<string, string> }
  assert.deepEqual([manifest.name, Object.keys(manifest.bin)], ['@offhook/server', ['offhook']])
})

/** The name in `npm install …`, `npx …` or a registry address. A local name after npx is a command, and never fetched in a folder with the package. */
const wrongName = /npm (?:i|install)(?: -\S+)* offhook\b|npx (?:-\S+ )+offhook\b|npmjs\.com\/package\/@?offhook\b/

test('links to no package of somebody else under our name', () => {
  const files = globSync(['*.md', 'docs/**/*.md', 'deploy/**/*.md', 'examples/**/*.md', 'packages/*/README.md', 'release/build/*.ts'], {
    cwd: root,
  })
  assert.ok(files.length > 50)
  for (const file of files) assert.doesNotMatch(readFileSync(join(root, file), 'utf8'), wrongName, file)
})
