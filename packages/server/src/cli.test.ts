// test: ship
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import test from 'node:test'
import { temporaryFolder } from '#test/store/databases.ts'
import { freePorts } from '#test/machine/free-ports.ts'
import { offhook, ready, said } from '#test/machine/program.ts'
import { settingsSchema } from '#settings/settings-schema.ts'

/** Heap limit of the main thread in megabytes, without its young generation of three times 16. */
const heapMegabytes = async (http: string): Promise<number> => {
  const figures = await (await fetch(`${http}/metrics`, { headers: { authorization: 'Bearer scrape' } })).text()
  return Number(/^offhook_heap_limit_bytes\{thread="main",id="0"\} (\d+)$/m.exec(figures)?.[1]) / 2 ** 20 - 3 * 16
}

test('serve prints when it is ready, makes the first start once, and ends in order', async (t) => {
  const OFFHOOK_DATA = await temporaryFolder(t)
  const first = offhook(t, ['serve'], { OFFHOOK_DATA, OFFHOOK_TYPO: '1', OFFHOOK_METRICS_TOKEN: 'scrape' })
  const { http, sip, console } = await ready(first)
  assert.equal(await heapMegabytes(http), Number(settingsSchema.OFFHOOK_HEAP_MB.default))
  assert.match(sip, /^sip:127\.0\.0\.1:\d+$/)
  const file = join(OFFHOOK_DATA, 'first-run.json')
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  const notes = JSON.parse(await readFile(file, 'utf8')) as { token: string; baseUrl: string; accountId: string }
  assert.equal(notes.baseUrl, http)
  assert.equal((await fetch(console)).status, 200)
  const account = await fetch(`${http}/v1/account`, { headers: { authorization: `Bearer ${notes.token}` } })
  assert.equal(account.status, 200)

  // Calls might last ten minutes, too long for a test; there are none.
  first.child.kill('SIGTERM')
  assert.equal(await first.ended, 0)
  assert.equal(await first.stdout, `{"ready":true,"http":"${http}","sip":"${sip}","console":"${http}/console/"}\n`)
  const log = await first.stderr
  assert.match(log, /OFFHOOK_TYPO is not a setting/)
  assert.ok(log.includes(file), 'what is no terminal hears where the passwords are')
  assert.doesNotMatch(log, /Bearer|password/, 'and not what they are')

  const second = offhook(t, [], { OFFHOOK_DATA })
  const again = await ready(second)
  const kept = await fetch(`${again.http}/v1/account`, { headers: { authorization: `Bearer ${notes.token}` } })
  assert.equal(kept.status, 200)
  // A terminal and npm both pass on the same Ctrl-C: still an orderly end.
  second.child.kill('SIGINT')
  second.child.kill('SIGINT')
  assert.equal(await second.ended, 0)
  const quiet = await second.stderr
  assert.ok(quiet.includes(file))
  assert.doesNotMatch(quiet, /Bearer|password/)
  assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), notes)
})

test('OFFHOOK_DEMO=off creates only the operator', async (t) => {
  const OFFHOOK_DATA = await temporaryFolder(t)
  const started = offhook(t, [], { OFFHOOK_DATA, OFFHOOK_DEMO: 'off', OFFHOOK_METRICS_TOKEN: 'scrape', OFFHOOK_HEAP_MB: '150' })
  const { http } = await ready(started)
  assert.equal(await heapMegabytes(http), 150, 'what it may keep is a setting')
  const notes = JSON.parse(await readFile(join(OFFHOOK_DATA, 'first-run.json'), 'utf8')) as { operator: { token: string }; token?: string }
  assert.equal(notes.token, undefined)
  const accounts = await fetch(`${http}/operator/v1/accounts`, { headers: { authorization: `Bearer ${notes.operator.token}` } })
  assert.deepEqual(await accounts.json(), { items: [] })
  started.child.kill('SIGTERM')
  assert.equal(await started.ended, 0)
})

for (const args of [[], ['dev', '--endpoint', 'http://127.0.0.1:1']])
  test(`Ctrl-C during the start of ${args[0] ?? 'serve'} ends it in order without further output`, async (t) => {
    const port = await freePorts(t, 1)
    const settings = { OFFHOOK_DATA: await temporaryFolder(t), OFFHOOK_LOG: 'info', OFFHOOK_HTTP: `127.0.0.1:${port}` }
    const started = offhook(t, args, settings)
    await said(started, 'stderr', /"event":"media_ready"/)
    started.child.kill('SIGINT')
    assert.equal(await started.ended, 0)
    assert.equal(await started.stdout, '')
    assert.doesNotMatch(await started.stderr, /Welcome|console could not be built|offhook: T/)
  })

test('serve reports all wrong settings and does not start', async (t) => {
  const OFFHOOK_DATA = join(await temporaryFolder(t), 'untouched')
  const more = { OFFHOOK_SECRET_KEY: 'c2hvcnQ=', OFFHOOK_SMTP_URL: 'mail.example', OFFHOOK_MAIL_FROM: 'us', DATABASE_URL: 'mysql://x' }
  const started = offhook(t, ['serve'], { OFFHOOK_DATA, OFFHOOK_HTTP: 'nowhere', OFFHOOK_DEMO: 'maybe', OFFHOOK_LOG: 'loud', ...more })
  assert.equal(await started.ended, 2)
  const said = await started.stderr
  for (const name of ['OFFHOOK_HTTP', 'OFFHOOK_DEMO', 'OFFHOOK_LOG', ...Object.keys(more)])
    assert.match(said, new RegExp(`${name} must be`))
  assert.doesNotMatch(said, /\n\s+at /)
  await assert.rejects(stat(OFFHOOK_DATA), { code: 'ENOENT' })
})

test('serve reports refusals of the machine in one line', async (t) => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'file')
  await writeFile(file, 'no database')
  await mkdir(join(folder, 'key'))
  await writeFile(join(folder, 'key', 'secret.key'), 'short')
  await mkdir(join(folder, 'database'))
  await writeFile(join(folder, 'database', 'offhook.db'), 'something else entirely'.repeat(100))
  const refused: [Record<string, string>, RegExp][] = [
    [{ OFFHOOK_DATA: file }, /data folder \S+file cannot be used: ENOTDIR/],
    [{ OFFHOOK_DATA: join(folder, 'key') }, /secret key in the data folder \S+key cannot be used: .* 32 bytes/],
    [{ OFFHOOK_DATA: join(folder, 'database') }, /data folder \S+database cannot be used: file is not a database/],
    [{ OFFHOOK_DATA: folder, DATABASE_URL: 'postgres://me:hidden@127.0.0.1:1/x' }, /DATABASE_URL cannot be used: .*ECONNREFUSED/],
  ]
  for (const [settings, said] of refused) {
    const started = offhook(t, ['serve'], settings)
    assert.equal(await started.ended, 1)
    const stderr = await started.stderr
    assert.match(stderr, said)
    assert.equal(stderr.split('\n').length, 2, stderr)
    assert.doesNotMatch(stderr, /hidden/)
  }
})

test('serve rejects a second process on the same data folder', async (t) => {
  const OFFHOOK_DATA = await temporaryFolder(t)
  const first = offhook(t, ['serve'], { OFFHOOK_DATA })
  const { http } = await ready(first)
  const second = offhook(t, ['serve'], { OFFHOOK_DATA })
  assert.equal(await second.ended, 1)
  const refusal = await second.stderr
  assert.match(refusal, /^offhook: Offhook is running already with the data folder .*\n.* set OFFHOOK_DATA to another folder.*\n$/)
  assert.ok(refusal.includes(`at ${http}.`), refusal)
  assert.equal((await fetch(`${http}/health`)).status, 200)
  first.child.kill('SIGKILL')
  await first.ended
  const third = offhook(t, ['serve'], { OFFHOOK_DATA })
  await ready(third)
})

test('serve reports an address in use in one line', async (t) => {
  const other = createServer().listen(0, '127.0.0.1')
  t.after(() => other.close())
  await once(other, 'listening')
  const OFFHOOK_HTTP = `127.0.0.1:${(other.address() as AddressInfo).port}`
  const OFFHOOK_DATA = await temporaryFolder(t)
  const started = offhook(t, ['serve'], { OFFHOOK_DATA, OFFHOOK_HTTP })
  assert.equal(await started.ended, 1)
  assert.match(await started.stderr, new RegExp(`^offhook: ${OFFHOOK_HTTP} is already in use`, 'm'))
  assert.equal(await started.stdout, '')
  await assert.rejects(stat(join(OFFHOOK_DATA, 'first-run.json')), { code: 'ENOENT' })
  const telephone = offhook(t, ['serve'], { OFFHOOK_DATA, OFFHOOK_SIP: OFFHOOK_HTTP })
  assert.equal(await telephone.ended, 1)
  assert.match(await telephone.stderr, new RegExp(`^offhook: ${OFFHOOK_HTTP} is already in use.* Set OFFHOOK_SIP`, 'm'))
})

test('serve reports a missing or wrong TLS certificate in one line', async (t) => {
  const OFFHOOK_DATA = await temporaryFolder(t)
  const notPem = join(OFFHOOK_DATA, 'note.txt')
  await writeFile(notPem, 'no certificate')
  const cases: [Record<string, string>, RegExp][] = [
    [{ OFFHOOK_SIP_TLS: '127.0.0.1:0' }, /^offhook: OFFHOOK_SIP_TLS needs both OFFHOOK_TLS_CERT and OFFHOOK_TLS_KEY\.\n$/],
    [
      { OFFHOOK_TLS_CERT: notPem, OFFHOOK_TLS_KEY: '/nowhere' },
      /^offhook: OFFHOOK_TLS_CERT \(.*\) and OFFHOOK_TLS_KEY \(\/nowhere\) cannot be used: ENOENT.*\n$/,
    ],
    [
      { OFFHOOK_TLS_CERT: notPem, OFFHOOK_TLS_KEY: notPem },
      /^offhook: OFFHOOK_TLS_CERT \(.*note\.txt\) and OFFHOOK_TLS_KEY \(.*note\.txt\) cannot be used: .*\n$/,
    ],
    [{ OFFHOOK_PUSH_KEY: notPem }, /^offhook: OFFHOOK_PUSH_KEY \(.*note\.txt\) is no private RSA key of at least 2048 bits in PEM.*\n$/],
    [{ OFFHOOK_SIP: 'nowhere.invalid:0' }, /^offhook: OFFHOOK_SIP \(nowhere\.invalid\) cannot be used: .*\n$/],
  ]
  for (const [settings, said] of cases) {
    const started = offhook(t, ['serve'], { OFFHOOK_DATA, OFFHOOK_LOG: 'error', ...settings })
    assert.equal(await started.ended, 1)
    assert.match(await started.stderr, said)
  }
})

test('lists every command and setting in the help, prints the version, and rejects unknown commands', async (t) => {
  const help = offhook(t, ['--help'])
  assert.equal(await help.ended, 0)
  const commands = [
    'serve',
    'dev',
    'init',
    'say',
    'call',
    'tail',
    'top',
    'listen',
    'token',
    'doctor',
    'config',
    'models',
    'export-data',
    'erase',
    'build',
    'version',
  ]
  for (const name of commands) assert.match(await help.stdout, new RegExp(`^  ${name} `, 'm'))
  const settings = offhook(t, ['serve', '--help'])
  const said = await settings.stdout
  for (const name of Object.keys(settingsSchema)) assert.ok(said.includes(name), name)
  for (const asked of ['version', '--version']) assert.match(await offhook(t, [asked]).stdout, /^\d+\.\d+\.\d+(-dev)?\n$/)
  for (const [args, help] of [
    [['dance'], 'offhook --help'],
    [['--sideways'], 'offhook --help'],
    [['serve', 'more'], 'offhook serve --help'],
    [['token', 'create'], 'offhook token create --help'],
  ] as const) {
    const refused = offhook(t, [...args])
    assert.equal(await refused.ended, 2, args.join(' '))
    assert.ok((await refused.stderr).includes(`Try: ${help}\n`), help)
  }
})

test('models downloads nothing when models are switched off', async (t) => {
  const fetching = offhook(t, ['models'], { OFFHOOK_MODELS: 'off' })
  assert.equal(await fetching.ended, 0)
  assert.equal((await fetching.stdout) + (await fetching.stderr), '')
})

test('models leaves no lock when interrupted', async (t) => {
  const silent = createServer().listen(0, '127.0.0.1') // a registry that never answers
  const asked = once(silent, 'connection') as Promise<[Socket]>
  await once(silent, 'listening')
  const OFFHOOK_MODELS = await temporaryFolder(t)
  const npm_config_registry = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`
  const fetching = offhook(t, ['models'], { OFFHOOK_MODELS, npm_config_registry })
  const [connection] = await asked
  t.after(() => {
    connection.destroy()
    silent.close()
  })
  assert.ok((await readdir(join(OFFHOOK_MODELS, '.fetching'))).includes('lock'))
  fetching.child.kill('SIGINT')
  assert.equal(await fetching.ended, 1)
  assert.match(await fetching.stderr, /offhook: Interrupted\.\nUntil `npx offhook models` has fetched the rest, .* Missing: @ricky0123/)
  assert.ok(!(await readdir(join(OFFHOOK_MODELS, '.fetching'))).includes('lock'))
})
