import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { needs } from '#test/peers/debian.ts'
import { needsPython, python, pythonEnvironment, pythonPackage } from '#test/peers/python.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'

const run = promisify(execFile)
const inPackage = { cwd: pythonPackage, env: { ...process.env, ...pythonEnvironment } }

test('the Python package keeps its own promises', async (t) => {
  if (!(await needsPython(t))) return
  const { stderr } = await run(python, ['-W', 'error', '-m', 'unittest'], inPackage)
  assert.match(stderr, /^OK$/m)
})

test('the types of the Python package are right', async (t) => {
  if (!(await needsPython(t)) || !(await needs(t, 'mypy'))) return
  const cache = await temporaryFolder(t)
  const { stdout } = await run('/usr/bin/mypy', ['--cache-dir', cache, 'src', 'tests'], inPackage)
  assert.match(stdout, /^Success/)
})
