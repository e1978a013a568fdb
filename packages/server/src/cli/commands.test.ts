import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import { assistant } from '@offhook/sdk'
import { temporaryFolder } from '../../../../test/support/databases.ts'
import { offhook, ready, type Program } from '../../../../test/support/program.ts'

/** What it says on one of its streams, as it says it; resolves with the first match. */
const said = ({ child }: Program, stream: 'stdout' | 'stderr', pattern: RegExp): Promise<RegExpExecArray> =>
  new Promise((resolve, reject) => {
    let text = ''
    child[stream]?.on('data', (piece: Buffer) => {
      text += piece.toString()
      const match = pattern.exec(text)
      if (match) resolve(match)
    })
    child.once('close', () => reject(new Error(`it ended without ${pattern.source}: ${text}`)))
  })

const output = async (program: Program): Promise<[code: number | null, stdout: string, stderr: string]> => [
  await program.ended,
  await program.stdout,
  await program.stderr,
]

/** An assistant of a customer: short words, because the tones of this installation keep real time. */
const customer = async (t: TestContext) => {
  const secrets = ['whsec_bm90IHlldCBrbm93bg==']
  const seen: string[] = []
  const { listen } = assistant(
    {
      session_start: () => 'Hi',
      user_speak: ({ text }) => (text === 'bye' ? ['Ade', { type: 'hangup' }] : `Oh ${text}`),
      session_end: ({ reason }) => void seen.push(reason),
    },
    { secret: secrets },
  )
  const server = await listen(0)
  t.after(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, secrets, seen }
}

test('with a service that runs', async (t) => {
  const OFFHOOK_DATA = await temporaryFolder(t)
  const service = offhook(t, ['serve'], { OFFHOOK_DATA, OFFHOOK_SPEECH: 'tones' })
  const { http } = await ready(service)
  const run = (args: string[], more: Record<string, string> = {}): Program => offhook(t, args, { OFFHOOK_DATA, ...more })

  await t.test('dev makes a flow for an endpoint of this machine; say types to it; dev and tail show everything', async (t) => {
    const { url, secrets, seen } = await customer(t)
    const dev = run(['dev', '--endpoint', url])
    const [, secret = ''] = await said(dev, 'stderr', /secret\s+(whsec_\S+)/)
    secrets.push(secret)
    await said(dev, 'stderr', /go to http/)
    const tail = run(['tail', '--json', '--flow', `dev ${new URL(url).host}`])
    const all = said(tail, 'stdout', /"type":"session_end"[^]*"kind":"attempt".*\n/)
    await said(tail, 'stderr', /listening/)
    const [code, conversation] = await output(run(['say', '--flow', `dev ${new URL(url).host}`, 'Ada', 'bye']))
    assert.equal(code, 0)
    assert.equal(conversation, '◀ Hi\n▶ Ada\n◀ Oh Ada\n▶ bye\n◀ [hangup]\n◀ Ade\n')

    await all
    for (const { child } of [dev, tail]) child.kill('SIGINT')
    const [ended, shown] = await output(dev)
    assert.equal(ended, 0)
    assert.match(shown, /typed +“Ada”\n[^]*event +user_speak turn 1\n[^]*attempt +listener .*200 in \d+ ms\n[^]*action +speak “Oh Ada”\n/)
    assert.doesNotMatch(shown, /\u001b/, 'no colours where nobody sees them')
    const entries = (await tail.stdout)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as TimelineEntry)
    assert.deepEqual(
      entries.flatMap((entry) => (entry.kind === 'event' ? [entry.type] : [])).filter((type) => type !== 'assistant_speak'),
      ['session_start', 'user_speak', 'user_speak', 'session_end'],
    )
    assert.deepEqual(seen, ['assistant_hangup'], 'signatures stayed valid on the way')
    const again = run(['dev', '--endpoint', url])
    await said(again, 'stderr', /go to http/)
    again.child.kill('SIGINT')
    assert.doesNotMatch(await again.stderr, /whsec_/, 'the same endpoint has the same flow')
  })

  await t.test('say takes lines from a pipe', async () => {
    const program = run(['say', '--flow', 'Demo', '--patience', '0'])
    program.child.stdin?.end('one\n/5\ngoodbye\n')
    const [code, conversation] = await output(program)
    assert.equal(code, 0)
    assert.match(conversation, /^▶ one\n[^]*▶ \/5\n[^]*▶ goodbye\n/m)
  })

  await t.test('token prints what commands use, and makes, lists and revokes personal ones', async () => {
    const notes = JSON.parse(await readFile(join(OFFHOOK_DATA, 'first-run.json'), 'utf8')) as { token: string; operator: { token: string } }
    assert.deepEqual(await output(run(['token'])), [0, `${notes.token}\n`, ''])
    assert.deepEqual(await output(run(['token', '--operator'])), [0, `${notes.operator.token}\n`, ''])
    const [, made] = await output(run(['token', 'create', 'laptop', '--scopes', 'users:read', 'all']))
    const OFFHOOK_TOKEN = made.trim()
    const [id = ''] = OFFHOOK_TOKEN.split(':')
    const [listed, list] = await output(run(['token', 'list']))
    assert.deepEqual([listed, list], [0, `${id}  laptop  users:read all\n`])
    const used = offhook(t, ['say', 'goodbye', '--url', http, '--patience', '0'], { OFFHOOK_TOKEN })
    assert.equal(await used.ended, 0)
    assert.equal(await run(['token', 'revoke', id]).ended, 0)
    const [refused, , why] = await output(offhook(t, ['say', 'goodbye', '--url', http], { OFFHOOK_TOKEN }))
    assert.equal(refused, 1)
    assert.match(why, /^offhook: .*\nThe token is not valid for this service/)
  })

  await t.test('what the service refuses is said in its words', async () => {
    const cases: [string[], RegExp][] = [
      [['say', '--flow', 'nobody', 'hi'], /^offhook: There is no flow nobody\. There are:\n {2}\S+ {2}Demo\n/],
      [['call', '+4930231250'], /^offhook: No phone of the caller can be reached/],
      [['call', '+4930231250', '--flow', 'Demo'], /^offhook: Outbound calls of assistants are not enabled/],
      [['tail', '--call', 'nothing'], /^offhook: .*callId\.\n$/],
      [['token', 'create', 'x', '--scopes', 'dancing'], /^offhook: .*\n {2}scopes/],
    ]
    for (const [args, why] of cases) {
      const [code, stdout, stderr] = await output(run(args))
      assert.deepEqual([code, stdout], [1, ''], args.join(' '))
      assert.match(stderr, why)
    }
  })

  await t.test('doctor sees it', async () => {
    const [, report] = await output(run(['doctor'], { OFFHOOK_HTTP: new URL(http).host }))
    assert.match(report, new RegExp(`✔ service +running at ${http}\n✔ port \\d+ tcp +used by the service`))
  })
})

test('init writes an assistant that runs, and nothing over what is there', async (t) => {
  const folder = join(await temporaryFolder(t), 'mine')
  assert.equal(await offhook(t, ['init', folder]).ended, 0)
  const [again, , why] = await output(offhook(t, ['init', folder]))
  assert.deepEqual([again, /is there already/.test(why)], [1, true])
  const lines = (await readFile(join(folder, 'assistant.ts'), 'utf8')).split('\n')
  assert.ok(lines.length <= 36)

  const port = await freePort(t)
  const { spawn } = await import('node:child_process')
  const child = spawn(process.execPath, [join(folder, 'assistant.ts')], { env: { ...process.env, PORT: String(port) } })
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
  assert.equal(await ask({ type: 'user_speak', text: 'Goodbye' }), 'Goodbye! hangup')
})

test('doctor says what is wrong and what to do', async (t) => {
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
  assert.match(report, /✖ port \d+ tcp +127\.0\.0\.1 is used by another program\n +Set OFFHOOK_SIP/)
  assert.match(report, /✔ sound way +a packet takes/)
  assert.match(report, /✖ database +DATABASE_URL cannot be used: .*\n +Is PostgreSQL running\?/)
  assert.match(report, /✖ speech +\d+ models \(\d+ MB\) are missing.*\n +npx offhook models/)
  assert.match(stderr, /^offhook: 3 things are wrong\.\n$/)
})

test('what cannot be is refused with 2, a service that is not there with 1', async (t) => {
  const cases: [string[], Record<string, string>, number, RegExp][] = [
    [['say', 'hi'], { OFFHOOK_DATA: '/nowhere' }, 2, /A token is needed: --token, OFFHOOK_TOKEN/],
    [['say', 'hi', '--token', 'x', '--url', 'nonsense'], {}, 2, /nonsense is not the address of a service/],
    [['say', '--patience', 'long'], {}, 2, /number of seconds/],
    [['listen'], {}, 2, /--to/],
    [['listen', '--to', 'ftp://x', '--token', 'x'], {}, 2, /ftp:\/\/x is not an address such as http/],
    [['dev'], {}, 2, /--endpoint http:\/\/… or --ws/],
    [['tail', '--token', 'x', '--flow', 'y', '--url', 'http://127.0.0.1:1'], {}, 1, /There is no service at http:\/\/127\.0\.0\.1:1/],
  ]
  const results = await Promise.all(cases.map(([args, settings]) => output(offhook(t, args, settings))))
  for (const [index, [args, , expected, why]] of cases.entries()) {
    const [code, , stderr] = results[index] ?? [null, '', '']
    assert.equal(code, expected, args.join(' '))
    assert.match(stderr, why)
    assert.doesNotMatch(stderr, /\n\s+at /)
  }
})

const freePort = async (t: TestContext): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}
