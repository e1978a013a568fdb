// test: own process
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '#test/store/databases.ts'
import { offhook, output, ready } from '#test/machine/program.ts'

test('config shows the effective settings and their sources without secrets', async (t) => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'offhook.env')
  await writeFile(file, 'OFFHOOK_COUNTRY=AT\nDATABASE_URL=postgres://me:secret@db.example/offhook\n', { mode: 0o600 })
  const [code, table, complaints] = await output(offhook(t, ['config', '--config', file, '--changed'], { OFFHOOK_METRICS_TOKEN: 'secret' }))
  assert.deepEqual([code, complaints], [0, ''])
  assert.match(table, /^OFFHOOK_HTTP +127\.0\.0\.1:0 +environment$/m)
  assert.match(table, new RegExp(`^OFFHOOK_COUNTRY +AT +${file}:1$`, 'm'))
  assert.match(table, new RegExp(`^DATABASE_URL +postgres://•••@db.example/offhook +${file}:2$`, 'm'))
  assert.match(table, /^OFFHOOK_METRICS_TOKEN +••• +environment$/m)
  assert.doesNotMatch(table, /secret|default/)
  const [, json] = await output(offhook(t, [`--config=${file}`, 'config', '--json']))
  const { settings } = JSON.parse(json) as { settings: { name: string; value: string; source: string }[] }
  assert.deepEqual(
    settings.find(({ name }) => name === 'OFFHOOK_CURRENCY'),
    { name: 'OFFHOOK_CURRENCY', value: 'EUR', source: 'default' },
  )
})

test('config --check reports everything that would stop the start', async (t) => {
  const file = join(await temporaryFolder(t), 'offhook.env')
  await writeFile(file, 'OFFHOOK_CONTRY=AT\nOFFHOOK_RTP=all\n')
  const [code, nothing, complaints] = await output(offhook(t, ['config', '--check', '--config', file]))
  assert.deepEqual([code, nothing], [1, ''])
  assert.match(
    complaints,
    /OFFHOOK_CONTRY is not a setting \(.*:1\)\. Did you mean OFFHOOK_COUNTRY\?\nOFFHOOK_RTP must be two ports .*:2\)/,
  )
  const [, , together] = await output(offhook(t, ['config', '--check'], { OFFHOOK_SIP_TLS: '127.0.0.1:0', OFFHOOK_FILES: 's3://office' }))
  assert.match(together, /OFFHOOK_SIP_TLS needs both .*\n.*needs OFFHOOK_S3_KEY/)
  const [fine, says] = await output(offhook(t, ['config', '--check']))
  assert.deepEqual([fine, says], [0, 'The settings are right.\n'])
})

test('serve takes all settings from the file, including the heap limit of Node', async (t) => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'offhook.env')
  await writeFile(file, `OFFHOOK_DATA=${folder}/data\nOFFHOOK_HEAP_MB=311\nOFFHOOK_DEMO=off\n`)
  const service = offhook(t, ['--config', file])
  await ready(service)
  assert.match(await readFile(`/proc/${service.child.pid}/cmdline`, 'utf8'), /--max-old-space-size=311/)
  assert.deepEqual(Object.keys(JSON.parse(await readFile(join(folder, 'data/first-run.json'), 'utf8')) as object).at(-1), 'operator')
  service.child.kill('SIGTERM')
  assert.equal(await service.ended, 0)
})
