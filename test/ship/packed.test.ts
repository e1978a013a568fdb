import assert from 'node:assert/strict'
import { existsSync, type Dirent } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { after, before, test, type TestContext } from 'node:test'
import { freePorts } from '#test/machine/free-ports.ts'
import { ourRoot, said, type Program } from '#test/machine/program.ts'
import { npmInstall, thirdPartyBun, thirdPartyDeno, thirdPartyEnvironment, thirdPartyNodes, type OneNode } from '#test/packages/npm.ts'
import { packedOnce } from '#test/packages/packed-once.ts'
import { runProgram, startProgram, type Where } from '#test/packages/strangers-program.ts'

/** Packs once and installs once, far from the clone; then three Nodes use it like an external user. */
let home = ''
let nodes: OneNode[] = []
let version = ''
const closing: (() => unknown)[] = []

const packAndInstall = async (): Promise<void> => {
  const folder = await packedOnce({ after: (close) => void closing.push(close) })
  const files = (await readdir(folder)).filter((name) => name.endsWith('.tgz'))
  await npmInstall(
    join(home, 'project'),
    files.map((name) => join(folder, name)),
  )
}

before(async () => {
  home = await mkdtemp(join(tmpdir(), 'stranger-'))
  ;[nodes] = await Promise.all([thirdPartyNodes(join(home, 'nodes')), packAndInstall()])
  ;({ version } = JSON.parse(await readFile(join(ourRoot, 'package.json'), 'utf8')) as { version: string })
})
after(async () => {
  for (const close of closing) await close()
  await rm(home, { recursive: true, force: true })
})

const entriesOf = (folder: string): Promise<Dirent[]> => readdir(folder, { recursive: true, withFileTypes: true })
const pathOf = ({ parentPath, name }: Dirent): string => join(parentPath, name)

test('installs nothing that links back to the clone', async () => {
  const modules = join(home, 'project/node_modules')
  const inside = await realpath(home)
  const entries = await entriesOf(modules)
  for (const link of entries.filter((entry) => entry.isSymbolicLink()).map(pathOf))
    assert.ok((await realpath(link)).startsWith(inside), `${link} leads out of the folder`)
  const ours = entries.map(pathOf).filter((path) => relative(modules, path).startsWith('@offhook/'))
  assert.ok(ours.length > 500)
  for (const path of ours.filter((one) => /\.(m?js|d\.ts|json|md)$/.test(one))) {
    assert.ok(!(await readFile(path, 'utf8')).includes(ourRoot), `${path} names the clone`)
    assert.ok(!/\.test\.|\/testing\//.test(path), `${path} is for tests`)
  }
  assert.deepEqual(
    ours.filter((path) => /(?<!\.d)\.ts$/.test(path)),
    [join(modules, '@offhook/server/template/assistant.ts')],
    'sources are not published',
  )
  assert.equal(existsSync(join(modules, 'onnxruntime-node')), false)
})

for (const [index, major] of [20, 22, 24].entries()) {
  test(`runs with Node ${major}: start, first assistant, a typed call, SIGTERM`, async (t) => {
    const node = nodes[index]?.path ?? ''
    const place = await strangersPlace(t, node, `with-node-${major}`)
    const run = (...command: string[]): Promise<string> => runProgram(command, place)
    assert.match(await run(node, '--version'), new RegExp(`^v${major}\\.`))
    assert.equal(await run('npx', 'offhook', '--version'), `${version}\n`)

    // Supervisors start the program itself; people use npx.
    const way = major === 22 ? ['npx', 'offhook'] : ['../node_modules/.bin/offhook']
    const service = startProgram(t, way, place)
    const { http } = JSON.parse((await said(service, 'stdout', /^\{"ready":true.*\}\n/))[0]) as { http: string }
    assert.ok(existsSync(join(place.cwd, 'data/offhook.db')), 'the data folder is beside it')
    for (const page of ['/console/', '/docs/', '/docs/api/']) assert.equal((await fetch(http + page)).status, 200, page)
    assert.doesNotMatch(await (await fetch(`${http}/console/`)).text(), /not built/)

    const port = await freePorts(t, 1)
    const file = `my-assistant/assistant.${major === 20 ? 'js' : 'ts'}`
    const notified = await run('npx', 'offhook', 'init', 'my-assistant')
    assert.match(notified, new RegExp(`\\n {2}node ${file}\\n[^]*\\n {2}npx offhook dev`))
    assert.ok(!notified.includes('node_modules') && !notified.includes(home), notified)
    const manifest = JSON.parse(await readFile(join(place.cwd, 'my-assistant/package.json'), 'utf8')) as Record<string, unknown>
    assert.deepEqual([manifest['type'], manifest['dependencies']], ['module', { '@offhook/sdk': version }])
    const assistant = startProgram(t, [node, file], { ...place, env: { ...place.env, PORT: String(port) } })
    await said(assistant, 'stdout', /listens/)

    const { token } = JSON.parse(await readFile(join(place.cwd, 'data/first-run.json'), 'utf8')) as { token: string }
    const program = `import { createClient } from '@offhook/sdk'
      const api = createClient(${JSON.stringify({ baseUrl: http, token })})
      await api.createFlow({}, { name: 'mine', language: 'en-US', webhookUrl: 'http://127.0.0.1:${port}/' })
      console.log(Object.keys(api).length)`
    assert.ok(Number(await run(node, '--input-type=module', '-e', program)) > 250)
    const words = await run('npx', 'offhook', 'say', '--url', http, '--flow', 'mine', 'Bob', 'goodbye')
    assert.match(words, /What is your name\?[^]*Nice to meet you, Bob\.[^]*Goodbye!/)
    await drains(t, service, { http, place })
    if (major !== 22) assert.equal(await service.ended, 0)
  })
}

/** Assistant that is served and called over its WebSocket, another that is called without one, and a webhook. */
const sdkProgram = `import { assistant, endpointAt, live, runScenario, simulate } from '@offhook/sdk'
import { serve } from '@offhook/sdk/serve'
const bot = () =>
  live({
    session_start: () => 'Hello.',
    async *user_speak({ text }) {
      yield 'You said '
      yield text + '.'
      if (text === 'bye') yield { type: 'hangup' }
    },
  })
const call = await simulate(bot())
await call.say('one', { listenMs: 300 })
await call.say('bye')
call.expect({ said: 'you said bye', action: 'hangup', ended: 'assistant_hangup' })
const steps = [{ say: 'two' }, { expect: { said: 'you said two' } }, { hang_up: true }]
const served = await serve({ '/shop': { bot: bot(), apiKey: 'secret' } }, { port: 0 })
const remote = endpointAt(new URL('/shop', served.url).href, { apiKey: 'secret' })
const hook = assistant({ user_speak: ({ text }) => 'You said ' + text })
const reports = [await runScenario({ name: 'remote', steps }, remote), await runScenario({ name: 'hook', steps }, hook)]
await served.close(0)
console.log(reports.map(({ name, state, failures }) => [name, state, ...failures.map(({ message }) => message)].join(' ')).join(', '))
`

test('serves, calls and simulates with the SDK under Node 20, 22, 24, Bun and Deno', async () => {
  const file = join(home, 'project/sdk-program.mjs')
  await writeFile(file, sdkProgram)
  const deno = await thirdPartyDeno(join(home, 'deno'))
  const commands = [...nodes.map(({ path }) => [path]), [await thirdPartyBun(join(home, 'bun'))], [deno, 'run', '--allow-all']]
  for (const [program = '', ...options] of commands) {
    const place = { cwd: join(home, 'project'), home, env: thirdPartyEnvironment(home, program) }
    assert.equal(await runProgram([program, ...options, file], place), 'remote passed, hook passed\n', program)
  }
})

/** Folder below the project: npx finds the package in the project, and data is written here. */
const strangersPlace = async (t: TestContext, node: string, name: string): Promise<Where> => {
  const cwd = join(home, 'project', name)
  await mkdir(cwd)
  const rtp = await freePorts(t, 40)
  const settings = {
    OFFHOOK_HTTP: '127.0.0.1:0',
    OFFHOOK_SIP: '127.0.0.1:0',
    OFFHOOK_RTP: `${rtp}-${rtp + 39}`,
    OFFHOOK_SPEECH: 'tones',
    OFFHOOK_SHED_LOAD: 'off',
    OFFHOOK_EGRESS_ALLOW: '127.0.0.1',
  }
  return { cwd, home, env: { ...thirdPartyEnvironment(home, node), ...settings } }
}

/** SIGTERM reaches the service, also through npx, which does not wait for it: it takes no new calls, but the running one may end. */
const drains = async (t: TestContext, service: Program, { http, place }: { http: string; place: Where }): Promise<void> => {
  const talk = startProgram(t, ['npx', 'offhook', 'say', '--url', http, '--flow', 'mine'], place)
  await said(talk, 'stdout', /What is your name\?/)
  service.child.kill('SIGTERM')
  await said(service, 'stderr', /node_draining/)
  talk.child.stdin?.write('goodbye\n')
  await said(talk, 'stdout', /Goodbye!/)
  assert.equal(await talk.ended, 0)
  await service.ended
  await assert.rejects(fetch(`${http}/health`))
}

const typedProgram = `
import { operations, type ErrorCode } from '@offhook/contract'
import { assistant, createClient, type Client } from '@offhook/sdk'
import { clientOf } from '@offhook/sdk/client-of'
import { UserAgent } from '@offhook/sip/user-agent/user-agent'
import type { SipClock } from '@offhook/sip/transport/transport.ts'
import { SmppClient } from '@offhook/smpp/client/client.ts'
import { status } from '@offhook/smpp/pdu/status'

const api: Client = createClient({ baseUrl: 'http://127.0.0.1:8080', token: 'token' })
export const names = async (): Promise<string[]> => {
  const { items } = await api.listFlows()
  return items.map(({ name }) => name)
}
export const code: ErrorCode = 'not_found'
export const method: 'POST' = operations.createFlow.method
export const hook = assistant({ user_speak: ({ text }) => text.toUpperCase() })
export const clock: SipClock = { now: Date.now, after: (ms, run) => { const timer = setTimeout(run, ms); return () => clearTimeout(timer) } }
export const parts: [typeof UserAgent, typeof SmppClient, typeof clientOf, number] = [UserAgent, SmppClient, clientOf, status.ok]
// @ts-expect-error: the body is the second argument
export const wrong = () => api.createFlow({ name: 'mine', language: 'en-US', webhookUrl: 'http://127.0.0.1/' })
// @ts-expect-error: there is no such event
export const never = assistant({ user_dances: () => 'no' })
// @ts-expect-error: no such error
export const nothing: ErrorCode = 'gone_fishing'
`

test('type-checks a TypeScript program against the package types', async () => {
  const cwd = join(home, 'project/typed')
  await mkdir(cwd)
  await writeFile(join(cwd, 'program.ts'), typedProgram)
  const tsc = join(ourRoot, 'node_modules/.bin/tsc')
  const types = ['--typeRoots', join(ourRoot, 'node_modules/@types'), '--types', 'node']
  for (const kind of [
    ['--module', 'nodenext'],
    ['--module', 'esnext', '--moduleResolution', 'bundler'],
  ]) {
    const options = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2024', '--skipLibCheck', 'true', ...kind, ...types]
    const said = await runProgram([tsc, ...options, 'program.ts'], { cwd, env: thirdPartyEnvironment(home) }).catch(
      ({ stdout }: { stdout: string }) => stdout,
    )
    assert.equal(said, '', kind.join(' '))
  }
})

test('runs the libraries as in their READMEs, and loads the speech runtime', async () => {
  const cwd = join(home, 'project/examples')
  await mkdir(cwd)
  for (const library of ['sip', 'smpp']) {
    const readme = await readFile(join(home, 'project/node_modules/@offhook', library, 'README.md'), 'utf8')
    const [, code = ''] = /```ts\n([^]*?)```/.exec(readme) ?? []
    // Node 22 does not know import.meta.main yet.
    await writeFile(join(cwd, `${library}.ts`), code.replace('if (import.meta.main) ', ''))
    for (const { path } of nodes.filter(({ major }) => major >= 22)) {
      const noticed = await runProgram([path, `${library}.ts`], { cwd, env: thirdPartyEnvironment(home, path) })
      assert.ok(noticed.split('\n').length > 3, noticed)
    }
  }
  const loads = `console.log(typeof require('@offhook/onnxruntime-${process.platform}-${process.arch}').InferenceSession.create)`
  for (const { path } of nodes)
    assert.equal(await runProgram([path, '-e', loads], { cwd, env: thirdPartyEnvironment(home, path) }), 'function\n')
})
