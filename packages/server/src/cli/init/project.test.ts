import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { repository } from '#places.ts'
import { version } from '#settings/version.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { inFolderOfProject, nodeOfCaller, readsTypes } from '../init.ts'

test('turns an empty folder into a project with exactly the SDK of this version', async (t) => {
  const folder = await temporaryFolder(t)
  const { needsJs, isModule, prepare, offhook, equip } = await inFolderOfProject(folder, '@offhook/sdk', '24.10.0')
  assert.deepEqual({ needsJs, isModule, offhook }, { needsJs: false, isModule: true, offhook: 'npx offhook' })
  assert.match(prepare.join(), / && npm install\)$/)
  await equip()
  const { name, ...manifest } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>
  assert.match(String(name), /^[a-z0-9-]+$/)
  assert.deepEqual(manifest, { private: true, type: 'module', dependencies: { '@offhook/sdk': version() } })
})

test('keeps an existing project unchanged and still writes the assistant as a module', async (t) => {
  const folder = await temporaryFolder(t)
  const present = '{ "name": "theirs", "type": "commonjs" }'
  await writeFile(join(folder, 'package.json'), present)
  await writeFile(join(folder, 'index.js'), '')
  const { isModule, prepare, equip } = await inFolderOfProject(folder, '@offhook/sdk', '20.20.2')
  assert.equal(isModule, false)
  assert.ok(prepare.join().endsWith(`npm install --save-exact @offhook/sdk@${version()})`), prepare.join())
  await equip()
  assert.equal(await readFile(join(folder, 'package.json'), 'utf8'), present)
})

test('makes modules of a folder as `npm init` leaves it', async (t) => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'package.json')
  await writeFile(file, '{ "name": "theirs", "main": "index.js", "type": "commonjs" }')
  await writeFile(join(folder, 'package-lock.json'), '{}')
  const { isModule, equip } = await inFolderOfProject(folder, '@offhook/sdk', '24.10.0')
  await equip()
  assert.equal(isModule, true)
  assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), { name: 'theirs', main: 'index.js', type: 'module' })
})

test('names every package and makes modules in the guide of the installation', async () => {
  const guide = await readFile(join(repository, 'docs/guides/install.md'), 'utf8')
  const packages = join(repository, 'packages')
  for (const name of await readdir(packages)) {
    const manifest = JSON.parse(await readFile(join(packages, name, 'package.json'), 'utf8').catch(() => '{}')) as Record<string, unknown>
    if (manifest['description'] !== undefined) assert.ok(guide.includes(`\`${String(manifest['name'])}\``), name)
  }
  assert.match(guide, /npm init -y && npm pkg set type=module\n/)
})

test('writes the assistant for the Node of the terminal, not ours', () => {
  const throughNpx = { npm_config_user_agent: 'npm/11.19.1 node/v20.20.2 linux arm64 workspaces/false' }
  assert.equal(nodeOfCaller(throughNpx), '20.20.2')
  assert.equal(nodeOfCaller({ ...throughNpx, NODE_OF_CALLER: '22.1.0' }), '22.1.0')
  assert.equal(nodeOfCaller({}), process.versions.node)
})

test('writes types only for a Node that strips them', () => {
  for (const node of ['22.18.0', '23.6.0', '24.0.0', '26.1.0']) assert.ok(readsTypes(node), node)
  for (const node of ['18.20.0', '20.20.2', '22.17.9', '23.5.0']) assert.ok(!readsTypes(node), node)
})
