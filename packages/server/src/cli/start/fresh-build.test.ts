// test: own process
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { ourRoot } from '#test/machine/program.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'

test('runs the build of a clone only while all its source files are unchanged', async (t) => {
  const clone = await temporaryFolder(t)
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(clone, file)), { recursive: true })
    writeFileSync(join(clone, file), text)
  }
  cpSync(join(ourRoot, 'bin/offhook.mjs'), join(clone, 'bin/offhook.mjs'))
  write('package.json', '{ "type": "module" }')
  write('packages/server/src/cli.ts', "console.log('sources')")
  write('packages/server/bundle/cli.js', "console.log('built')")
  const other = 'packages/sip/src/a.ts'
  const files = ['packages/server/src/cli.ts', other]
  const runs = (): string => execFileSync(process.execPath, [join(clone, 'bin/offhook.mjs'), 'version'], { encoding: 'utf8' }).trim()
  assert.equal(runs(), 'sources', 'nothing is said of what it was made from')

  write(other, 'a')
  const stamps = files.map((file) => [file, statSync(join(clone, file)).mtimeMs, statSync(join(clone, file)).size])
  write('packages/server/bundle/made-from.json', JSON.stringify(stamps))
  assert.equal(runs(), 'built')
  utimesSync(join(clone, other), 1, 1)
  assert.equal(runs(), 'sources', 'an older file is another one, too')
  rmSync(join(clone, other))
  assert.equal(runs(), 'sources')
})
