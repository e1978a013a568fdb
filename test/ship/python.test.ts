import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { needs } from '#test/peers/debian.ts'
import { needsPython, python, pythonEnvironment, pythonPackage } from '#test/python/python.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { blocksOf, documents, placeOf } from '#test/guides/blocks.ts'

const run = promisify(execFile)
const inPackage = { cwd: pythonPackage, env: { ...process.env, ...pythonEnvironment } }

test("passes the Python package's own tests", async (t) => {
  if (!(await needsPython(t))) return
  const { stderr } = await run(python, ['-W', 'error', '-m', 'unittest'], inPackage)
  assert.match(stderr, /^OK$/m)
})

test('passes the type check of the Python package', async (t) => {
  if (!(await needsPython(t)) || !(await needs(t, 'mypy'))) return
  const cache = await temporaryFolder(t)
  const { stdout } = await run('/usr/bin/mypy', ['--cache-dir', cache, 'src', 'tests'], inPackage)
  assert.match(stdout, /^Success/)
})

test('compiles the Python code of the guides', async (t) => {
  if (!(await needsPython(t))) return
  const programs = documents()
    .flatMap(blocksOf)
    .filter(({ language }) => language === 'python')
  assert.ok(programs.length > 0)
  const compile = 'import json, sys; [compile(one["text"], one["place"], "exec") for one in json.loads(sys.argv[1])]'
  const given = programs.map((block) => ({ text: block.text, place: placeOf(block) }))
  await run(python, ['-W', 'error', '-c', compile, JSON.stringify(given)])
})

test('builds reproducible wheel and source packages for Python, which can be imported', async (t) => {
  if (!(await needsPython(t))) return
  const make = async (): Promise<string[]> => {
    const script = join(pythonPackage, '../../release/python-package.py')
    return (await run(python, [script, await temporaryFolder(t)])).stdout.trim().split('\n')
  }
  const [first, second] = [await make(), await make()]
  const sums = (files: string[]) => files.map((file) => createHash('sha256').update(readFileSync(file)).digest('hex'))
  assert.deepEqual(sums(first), sums(second))
  const [wheel = ''] = first
  const code = 'import offhook, importlib.metadata as m; print(offhook.__file__, m.version("offhook"), len(m.files("offhook")))'
  const { stdout } = await run(python, ['-c', code], { env: { ...process.env, PYTHONPATH: wheel } })
  assert.match(stdout, /\.whl\/offhook\/__init__\.py \d+\.\d+\.\d+(\.dev0)? \d+\n$/)
})
