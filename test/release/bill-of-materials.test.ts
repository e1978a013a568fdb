// test: own process
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sumsOf } from '../../release/artefacts.ts'
import { builtIn, notices } from '../../release/notices.ts'
import { sbom } from '../../release/sbom.ts'

const root = join(import.meta.dirname, '../..')

test('names the service and every bundled package in the bill of materials, each with a reviewed licence', () => {
  const { bomFormat, metadata, components } = sbom(root, '0.2.0')
  assert.equal(bomFormat, 'CycloneDX')
  assert.deepEqual([metadata.component.name, metadata.component.version], ['@offhook/server', '0.2.0'])
  const known = readFileSync(join(root, 'docs/licences.md'), 'utf8')
  assert.ok(components.length > 100)
  for (const { name, version } of components.filter((one) => !one.name.startsWith('@offhook/')))
    assert.ok(known.includes(`| \`${name}\` | ${version} |`), `${name} ${version} is not in docs/licences.md`)
  for (const name of ['fastify', 'koffi', 'pg', 'react', '@offhook/sip'])
    assert.ok(
      components.some((one) => one.name === name),
      name,
    )
})

test('names each package inside the program and its console with its licence in the notices', () => {
  const text = notices(root)
  const names = builtIn(root).map(({ name }) => name)
  for (const name of ['react', 'react-dom', '@mantine/core', 'scheduler', 'fastify', 'find-my-way', 'typebox'])
    assert.ok(names.includes(name), name)
  for (const name of ['vite', 'koffi', 'pg', '@offhook/sip']) assert.ok(!names.includes(name), name)
  for (const part of text.split(/^-{80}(?=\n\S+ \d)/m).slice(1)) assert.match(part, /licen[cs]e|permission|permitted|public domain/i)
  assert.equal(text.split(/^-{80}\n\S+ \d/m).length - 1, names.length)
})

test('writes checksums that sha256sum accepts', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'offhook-sums-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'b.tgz'), 'one')
  writeFileSync(join(folder, 'a.tgz'), 'other')
  const sums = sumsOf(folder)
  assert.equal(execFileSync('sha256sum', ['--check'], { cwd: folder, input: sums, encoding: 'utf8' }), 'a.tgz: OK\nb.tgz: OK\n')
  writeFileSync(join(folder, 'a.tgz'), 'changed')
  assert.throws(() => execFileSync('sha256sum', ['--check'], { cwd: folder, input: sums, stdio: 'pipe' }))
})
