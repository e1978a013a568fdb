import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { temporaryFolder, type Scope } from '#test/machine/temporary-folder.ts'

const run = promisify(execFile)
const script = join(import.meta.dirname, '../../bin/setup-fax.sh')

/** Simulated machine with these programs; each logs its arguments. */
const machine = async (t: Scope, programs: Record<string, string>) => {
  const folder = await temporaryFolder(t)
  const notes = join(folder, 'notes')
  await writeFile(notes, '')
  for (const tool of ['sh', 'head'])
    await symlink(`/bin/${tool}`, join(folder, tool)).catch(() => symlink(`/usr/bin/${tool}`, join(folder, tool)))
  for (const [name, work] of Object.entries(programs)) {
    const file = join(folder, name)
    await writeFile(file, `#!/bin/sh\necho "${name} $*" >> ${notes}\n${work}\n`)
    await chmod(file, 0o755)
  }
  const setUp = () => run('/bin/sh', [script], { env: { PATH: folder } }).catch((error: { code: number; stderr: string }) => error)
  return { setUp, notes: async () => (await readFile(notes, 'utf8')).split('\n').filter((line) => !/^(id|find)/.test(line) && line !== '') }
}

const missing = { find: '', id: 'echo 0' }
const wanted = 'apt-get install -q -y --no-install-recommends libspandsp2 poppler-utils'

test('installs the fax dependencies as root, or with sudo', async (t) => {
  const root = await machine(t, { ...missing, 'apt-get': '' })
  assert.match(((await root.setUp()) as { stdout: string }).stdout, /^Faxes can be sent and received/)
  assert.deepEqual(await root.notes(), ['apt-get update -q', wanted])
  const user = await machine(t, { ...missing, id: 'echo 1000', 'apt-get': '', sudo: '"$@"' })
  await user.setUp()
  assert.ok((await user.notes()).includes(`sudo ${wanted}`))
})

test('installs with Homebrew on a Mac, without root, and finds it again', async (t) => {
  const mac = await machine(t, { ...missing, id: 'echo 501', brew: '' })
  assert.match(((await mac.setUp()) as { stdout: string }).stdout, /^Faxes can be sent and received/)
  assert.deepEqual(await mac.notes(), ['brew install spandsp poppler'])
  const complete = await machine(t, { find: 'echo /opt/homebrew/lib/libspandsp.2.dylib', brew: '', pdftoppm: '', pdfinfo: '' })
  assert.match(((await complete.setUp()) as { stdout: string }).stdout, /is there/)
})

test('installs nothing that exists, and names missing programs to a user without the permission', async (t) => {
  const complete = await machine(t, { find: 'echo /usr/lib/libspandsp.so.2', id: 'echo 0', 'apt-get': '', pdftoppm: '', pdfinfo: '' })
  assert.match(((await complete.setUp()) as { stdout: string }).stdout, /is there/)
  assert.deepEqual(await complete.notes(), [])
  for (const programs of [missing, { ...missing, id: 'echo 1000', 'apt-get': '' }]) {
    const failed = (await (await machine(t, programs)).setUp()) as { code: number; stderr: string }
    assert.equal(failed.code, 1)
    assert.match(failed.stderr, /libspandsp|takes root/)
  }
})
