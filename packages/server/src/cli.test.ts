import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import test, { type TestContext } from 'node:test'
import { temporaryFolder } from '../../../test/support/databases.ts'
import { settingsSchema } from './config.ts'

const bin = join(import.meta.dirname, '../../../bin/offhook.mjs')

interface Started {
  child: ChildProcess
  /** Everything it wrote, once it has ended. */
  stdout: Promise<string>
  stderr: Promise<string>
  ended: Promise<number | null>
}

/** The real program in a process of its own, which does not outlive the test. */
const offhook = (t: TestContext, args: string[], settings: Record<string, string> = {}): Started => {
  const clean = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('OFFHOOK_') && name !== 'NODE_TEST_CONTEXT'),
  )
  const child = spawn(process.execPath, [bin, ...args], { env: { ...clean, OFFHOOK_HTTP: '127.0.0.1:0', ...settings } })
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { child, ended, stdout: text(child.stdout), stderr: text(child.stderr) }
}

const ready = async ({ child, ended, stderr }: Started): Promise<{ http: string; console: string }> => {
  const first = await Promise.race([once(child.stdout ?? child, 'data'), ended.then(async () => Promise.reject(new Error(await stderr)))])
  return JSON.parse(String(first[0])) as { http: string; console: string }
}

test('serve says when it is ready, makes the first start once, and ends in order', async (t) => {
  const OFFHOOK_DATA = await temporaryFolder(t)
  const first = offhook(t, ['serve'], { OFFHOOK_DATA, OFFHOOK_TYPO: '1' })
  const { http, console } = await ready(first)
  const file = join(OFFHOOK_DATA, 'first-run.json')
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  const notes = JSON.parse(await readFile(file, 'utf8')) as { token: string; baseUrl: string; accountId: string }
  assert.equal(notes.baseUrl, http)
  assert.equal((await fetch(console)).status, 200)
  const account = await fetch(`${http}/v1/account`, { headers: { authorization: `Bearer ${notes.token}` } })
  assert.equal(account.status, 200)

  const asked = performance.now()
  first.child.kill('SIGTERM')
  assert.equal(await first.ended, 0)
  assert.ok(performance.now() - asked < 5000)
  assert.equal(await first.stdout, `{"ready":true,"http":"${http}","sip":null,"console":"${http}/console/"}\n`)
  const said = await first.stderr
  assert.match(said, /OFFHOOK_TYPO is not a setting/)
  const [, bearer, url] = /curl -H 'Authorization: Bearer ([^']+)' (\S+)/.exec(said) ?? []
  assert.deepEqual([bearer, url], [notes.token, `${http}/v1/account`])

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

test('OFFHOOK_DEMO=off leaves the operator, and a curl line for the operator', async (t) => {
  const OFFHOOK_DATA = await temporaryFolder(t)
  const started = offhook(t, [], { OFFHOOK_DATA, OFFHOOK_DEMO: 'off' })
  const { http } = await ready(started)
  const notes = JSON.parse(await readFile(join(OFFHOOK_DATA, 'first-run.json'), 'utf8')) as { operator: { token: string }; token?: string }
  assert.equal(notes.token, undefined)
  const accounts = await fetch(`${http}/operator/v1/accounts`, { headers: { authorization: `Bearer ${notes.operator.token}` } })
  assert.deepEqual(await accounts.json(), { items: [] })
  started.child.kill('SIGTERM')
  assert.equal(await started.ended, 0)
  assert.ok((await started.stderr).includes(`curl -H 'Authorization: Bearer ${notes.operator.token}' ${http}/operator/v1/accounts`))
})

test('settings that are wrong are all named, and nothing is started', async (t) => {
  const OFFHOOK_DATA = join(await temporaryFolder(t), 'untouched')
  const started = offhook(t, ['serve'], { OFFHOOK_DATA, OFFHOOK_HTTP: 'nowhere', OFFHOOK_DEMO: 'maybe', OFFHOOK_LOG: 'loud' })
  assert.equal(await started.ended, 2)
  const said = await started.stderr
  for (const name of ['OFFHOOK_HTTP', 'OFFHOOK_DEMO', 'OFFHOOK_LOG']) assert.match(said, new RegExp(`${name} must be`))
  assert.doesNotMatch(said, /\n\s+at /)
  await assert.rejects(stat(OFFHOOK_DATA), { code: 'ENOENT' })
})

test('an address that is in use is said in one line', async (t) => {
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
})

test('help lists every setting; version is a version; what is not a command is refused', async (t) => {
  const help = offhook(t, ['--help'])
  assert.equal(await help.ended, 0)
  const said = await help.stdout
  for (const name of Object.keys(settingsSchema)) assert.ok(said.includes(name), name)
  const version = offhook(t, ['version'])
  assert.match(await version.stdout, /^\d+\.\d+\.\d+\n$/)
  for (const args of [['dance'], ['--sideways'], ['serve', 'more']]) {
    const refused = offhook(t, args)
    assert.equal(await refused.ended, 2, args.join(' '))
    assert.match(await refused.stderr, /offhook --help/)
  }
})
