// test: own process
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { temporaryFolder } from '#test/store/databases.ts'
import { offhook, output } from '#test/machine/program.ts'

const bin = join(import.meta.dirname, '../../../../bin/offhook.mjs')

test('init writes a working assistant and overwrites nothing', async (t) => {
  const folder = join(await temporaryFolder(t), 'mine')
  const within = await output(offhook(t, ['init', folder]))
  assert.deepEqual([within[0], /npx node \S+assistant\.ts\n[^]*npx offhook dev --endpoint/.test(within[1])], [0, true], within[1])
  const [again, , why] = await output(offhook(t, ['init', folder]))
  assert.deepEqual([again, /is there already.* Name another folder/.test(why)], [1, true])
  const lines = (await readFile(join(folder, 'assistant.ts'), 'utf8')).split('\n')
  assert.ok(lines.length <= 36)
  assert.match(lines[0] ?? '', / npx node \S+mine\/assistant\.ts$/, 'it says how it is run here')

  const elsewhere = await temporaryFolder(t)
  const { stdout } = await promisify(execFile)(process.execPath, [bin, 'init'], { cwd: elsewhere })
  const [, node = '', offhookThere = ''] =
    /\n {2}(\S+) assistant\.ts\n[^]*\n {2}node (\S+) dev --endpoint/.exec(stdout) ?? assert.fail(stdout)
  assert.equal(offhookThere, bin)
  const [first = ''] = (await readFile(join(elsewhere, 'assistant.ts'), 'utf8')).split('\n')
  assert.ok(first.endsWith(`  ${node} assistant.ts`), first)
  const port = await freePort(t)
  const child = spawn(node, ['assistant.ts'], { cwd: elsewhere, env: { ...process.env, PORT: String(port) } })
  t.after(async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  const [greeting] = (await once(child.stdout, 'data')) as [Buffer]
  assert.match(greeting.toString(), /listens/)
  const session = { id: 's1', account_id: '1', phone_number: '1' }
  const ask = async (event: object): Promise<string> => {
    const reply = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: JSON.stringify({ session, ...event }) })
    return ((await reply.json()) as { text?: string; type: string }[]).map(({ text, type }) => text ?? type).join(' ')
  }
  assert.match(await ask({ type: 'session_start' }), /name\?$/)
  assert.match(await ask({ type: 'user_speak', text: 'Ada' }), /Ada/)
  assert.match(await ask({ type: 'user_speak', text: 'What time is it?' }), /It is .*, Ada\.$/)
  for (const text of ['Goodbye', 'Good-bye.', 'Good-by', 'Bye!'])
    assert.equal(await ask({ type: 'user_speak', text }), 'Goodbye! hangup', text)
})

test('init --llm writes a prompt assistant as in the examples, or from another template, in German', async (t) => {
  const folder = await temporaryFolder(t)
  const [code, notified] = await output(offhook(t, ['init', '--llm', join(folder, 'mine')]))
  assert.deepEqual([code, /npx node \S+mine\/assistant\.ts\n[^]*npx offhook dev --ws ws:/.test(notified)], [0, true], notified)
  const example = join(import.meta.dirname, '../../../../examples/prompt-assistant')
  const here = (text: string): string => text.replaceAll(/npx node \S+assistant\.ts *|npx offhook dev --ws ws:\S+ --events */g, '')
  for (const name of ['assistant.ts', '.env.example', 'README.md'])
    assert.equal(here(await readFile(join(folder, 'mine', name), 'utf8')), here(await readFile(join(example, name), 'utf8')), name)

  const german = ['--template', 'out-of-hours', '--language', 'de', '--url', 'https://models.example.org/v1', '--model', "it's"]
  await promisify(execFile)(process.execPath, [bin, 'init', '--llm', '--js', 'other', ...german], { cwd: folder })
  const text = await readFile(join(folder, 'other/assistant.js'), 'utf8')
  assert.match(text, /language: 'de-DE'/)
  assert.match(text, /MODEL_URL = 'https:\/\/models\.example\.org\/v1', MODEL_NAME = "it's"/)
  const child = spawn(process.execPath, ['assistant.js'], { cwd: join(folder, 'other'), env: { ...process.env, PORT: '0' } })
  t.after(async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  assert.match(line.toString(), /^ws:\/\/127\.0\.0\.1:\d+\/\n$/)

  for (const [args, why] of [
    [['--llm', '--template', 'bank'], /--template bank\? There are: reception, appointments, out_of_hours/],
    [['--llm', '--language', 'fr'], /--language fr\? There are: en, de/],
    [['--llm', '--url', 'here'], /here is not an address/],
    [['--model', 'x'], /--model is for an assistant from a prompt/],
  ] as const) {
    const [exit, , said] = await output(offhook(t, ['init', join(folder, 'none'), ...args]))
    assert.deepEqual([exit, why.test(said)], [2, true], said)
  }
})

test('doctor explains faults and their fixes', async (t) => {
  const OFFHOOK_DATA = await temporaryFolder(t)
  const other = createServer().listen(0, '127.0.0.1')
  t.after(() => other.close())
  await once(other, 'listening')
  const taken = `127.0.0.1:${(other.address() as AddressInfo).port}`
  const DATABASE_URL = 'postgres://127.0.0.1:1/none'
  const [code, report, stderr] = await output(
    offhook(t, ['doctor'], { OFFHOOK_DATA, OFFHOOK_SIP: taken, DATABASE_URL, OFFHOOK_MODELS: OFFHOOK_DATA, OFFHOOK_SPEECH: 'embedded' }),
  )
  assert.equal(code, 1)
  assert.match(report, /✖ port \d+ tcp +127\.0\.0\.1 is used by (another program|\S+ \(pid \d+\))\n +Set OFFHOOK_SIP/)
  assert.match(report, /✔ sound way +a packet takes/)
  assert.match(report, /✖ database +DATABASE_URL cannot be used: .*\n +Is PostgreSQL running\?/)
  assert.match(report, /✖ speech +\d+ models \(\d+ MB\) are missing.*\n +npx offhook models/)
  assert.match(stderr, /^offhook: 3 things are wrong\.\n$/)
  const [, json] = await output(offhook(t, ['doctor', '--json'], { OFFHOOK_DATA, OFFHOOK_SIP: taken }))
  const { well, findings } = JSON.parse(json) as { well: boolean; findings: { about: string; state: string; advice?: string }[] }
  assert.equal(well, false)
  assert.match(findings.find(({ state }) => state === 'broken')?.advice ?? '', /^Set OFFHOOK_SIP/)
})

test('exits with 2 for wrong arguments and 1 for a service that is not running', async (t) => {
  const cases: [string[], Record<string, string>, number, RegExp][] = [
    [['say', 'hi'], { OFFHOOK_DATA: '/nowhere' }, 2, /A token is needed: --token, OFFHOOK_TOKEN/],
    [['say', 'hi', '--token', 'x', '--url', 'nonsense'], {}, 2, /nonsense is not the address of a service/],
    [['say', '--patience', 'long'], {}, 2, /number of seconds/],
    [['listen'], {}, 2, /--to/],
    [['listen', '--to', 'ftp://x', '--token', 'x'], {}, 2, /ftp:\/\/x is not an address such as http/],
    [['dev'], {}, 2, /--endpoint http:\/\/… or --ws/],
    [['tail', '--token', 'x', '--flow', 'y', '--url', 'http://127.0.0.1:1'], {}, 1, /There is no service at http:\/\/127\.0\.0\.1:1/],
    [['init', join(import.meta.filename, 'below')], {}, 1, /Nothing can be written there: ENOTDIR/],
    [['say', 'x', '--token', 'x', '--url', await somethingElse(t)], {}, 1, /What answers at http:\S+ is not Offhook/],
  ]
  const results = await Promise.all(cases.map(([args, settings]) => output(offhook(t, args, settings))))
  for (const [index, [args, , expected, why]] of cases.entries()) {
    const [code, , stderr] = results[index] ?? [null, '', '']
    assert.equal(code, expected, args.join(' '))
    assert.match(stderr, why)
    assert.doesNotMatch(stderr, /\n\s+at /)
  }
})

test("does not load the contract's schemas for commands that only send requests", async () => {
  const script = `
    const loaded = []
    require('node:module').registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
    Promise.all(${JSON.stringify(['say', 'tail', 'call', 'token'])}.map((name) => import('./' + name + '.ts')))
      .then(() => console.log(loaded.filter((url) => url.includes('/typebox/')).length, loaded.length > 8))`
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], { cwd: import.meta.dirname })
  assert.equal(stdout, '0 true\n')
})

/** Answers every request with a page. */
const somethingElse = async (t: TestContext): Promise<string> => {
  const server = createHttpServer((_request, response) => response.end('<p>hello')).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const freePort = async (t: TestContext): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}
