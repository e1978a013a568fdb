import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { extendedEvents, usualExtendedEvents } from '@offhook/contract/assistant/events.ts'
import type { Explanation } from '@offhook/contract/v2/explanation.ts'
import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import { assistant, createClient, live } from '@offhook/sdk'
import { serve } from '@offhook/sdk/serve.ts'
import type { FirstRunNotes } from '#first-start/first-start.ts'
import { closedWith } from '#test/http/loopback-server.ts'
import { temporaryFolder } from '#test/store/databases.ts'
import { startBaresip } from '#test/peers/baresip.ts'
import { needs } from '#test/peers/debian.ts'
import { offhook, output, ready, said, type Program } from '#test/machine/program.ts'

/** A customer's assistant: short words, because tones play in real time. */
const customer = async (t: TestContext) => {
  const secrets = ['whsec_bm90IHlldCBrbm93bg==']
  const seen: string[] = []
  const words = { oh: 'Oh' }
  const { listen } = assistant(
    {
      session_start: () => 'Hi',
      user_speak: ({ text }) => (text === 'bye' ? ['Ade', { type: 'hangup' }] : `${words.oh} ${text}`),
      session_end: ({ reason }) => void seen.push(reason),
    },
    { secret: secrets },
  )
  return { url: `http://${closedWith(t, await listen(0))}/`, secrets, seen, words }
}

/** An assistant on a WebSocket that goes on speaking after its first words were heard. */
const liveAssistant = async (t: TestContext) => {
  const bot = live({
    session_start: () => 'Hi',
    async *user_speak({ text }, { spoken }) {
      yield `Oh ${text}.`
      await spoken()
      yield 'And?'
      if (text === 'bye') yield { type: 'hangup' }
    },
  })
  const { url, close } = await serve(bot, { port: 0 })
  t.after(() => close(0))
  return new URL(url)
}

test('runs commands against a running service', async (t) => {
  const OFFHOOK_DATA = await temporaryFolder(t)
  const webSocket = await liveAssistant(t)
  const service = offhook(t, ['serve'], { OFFHOOK_DATA, OFFHOOK_SPEECH: 'tones', OFFHOOK_EGRESS_ALLOW: webSocket.host })
  const { http } = await ready(service)
  const run = (args: string[], more: Record<string, string> = {}): Program => offhook(t, args, { OFFHOOK_DATA, ...more })

  await t.test('dev creates a flow for a local endpoint; say types to it; dev and tail show everything', async (t) => {
    const { url, secrets, seen } = await customer(t)
    const dev = run(['dev', '--endpoint', url])
    const [, secret = ''] = await said(dev, 'stderr', /secret\s+(whsec_\S+)/)
    secrets.push(secret)
    await said(dev, 'stderr', /go to http/)
    const tail = run(['tail', '--json', '--flow', `dev ${new URL(url).host}`])
    const all = said(tail, 'stdout', /"type":"session_end"[^]*"kind":"attempt".*\n/)
    await said(tail, 'stderr', /listening/)
    const [code, conversation] = await output(run(['say', 'Ada', 'bye']))
    assert.equal(code, 0)
    assert.equal(conversation, '◀ Hi\n▶ Ada\n◀ Oh Ada\n▶ bye\n◀ Ade\n')

    await all
    for (const { child } of [dev, tail]) child.kill('SIGINT')
    const [ended, shown] = await output(dev)
    assert.equal(ended, 0)
    assert.match(shown, /typed +“Ada”\n[^]*event +user_speak turn 1\n[^]*attempt +listener .*200 in \d+ ms\n[^]*action +speak “Oh Ada”\n/)
    assert.ok(!shown.includes('\u001b'), 'no colours where no terminal is')
    const entries = (await tail.stdout)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as TimelineEntry)
    assert.deepEqual(
      entries.flatMap((entry) => (entry.kind === 'event' ? [entry.type] : [])).filter((type) => type !== 'assistant_speak'),
      ['session_start', 'user_speak', 'user_speak', 'session_end'],
    )
    assert.deepEqual(seen, ['assistant_hangup'], 'signatures stayed valid on the way')
    assert.match(dev.written.stderr, /events +session_start, user_speak, assistant_speak, session_end; \d+ more with --events .*\n/)
    const again = run(['dev', '--endpoint', url])
    await said(again, 'stderr', /go to http/)
    again.child.kill('SIGINT')
    assert.doesNotMatch(await again.stderr, /whsec_/, 'the same endpoint has the same flow')
  })

  await t.test('explains, pins and replays a call without differences until the assistant changes', async (t) => {
    const { url, secrets, words } = await customer(t)
    const dev = run(['dev', '--endpoint', url])
    const [, secret = ''] = await said(dev, 'stderr', /secret\s+(whsec_\S+)/)
    secrets.push(secret)
    await said(dev, 'stderr', /go to http/)
    const flow = `dev ${new URL(url).host}`
    assert.equal((await output(run(['say', '--flow', flow, 'Ada', 'bye'])))[0], 0)
    const [explained, why] = await output(run(['explain', 'last']))
    assert.deepEqual([explained, /^The assistant ended the call\. .* spoke 2 times\. \S+\n/.test(why)], [0, true], why)
    assert.match(why, /▶ Ada[^]*◀ Oh Ada/)
    const [, json] = await output(run(['explain', 'last', '--json', '--language', 'de']))
    const { callId, outcome } = JSON.parse(json) as Explanation
    assert.match(outcome, /Der Assistent hat das Gespräch beendet/)

    const file = join(OFFHOOK_DATA, 'ada.scenario.yaml')
    assert.equal((await output(run(['pin', callId, '--words', '--name', 'ada', '-o', file])))[0], 0)
    assert.match(
      await readFile(file, 'utf8'),
      /^name: ada\n[^]*say: Ada\n[^]*said: Oh Ada\n[^]*action: hangup\n +ended: assistant_hangup\n/,
    )
    assert.match((await output(run(['pin', callId, '-o', file])))[2], /is there already/)
    assert.equal((await output(run(['pin', callId, '--name', 'ada', '--flow', flow])))[0], 0)

    const again = async (...more: string[]) => output(run(['replay', callId, ...more]))
    for (const way of [[], ['--flow', flow], ['--endpoint', url, '--secret', secret]]) {
      const [same, shown, all] = await again(...way)
      assert.deepEqual([same, shown, /1 of 1 calls are as they were/.test(all)], [0, `✔ ${callId}\n`, true], all)
      words.oh = 'Ah'
      const [other, first] = await again(...way)
      assert.deepEqual([other, first], [1, `≠ ${callId}  turn 1: said “Oh Ada”, now “Ah Ada”\n`])
      words.oh = 'Oh'
    }
    const [since, listed] = await output(run(['replay', '--flow', flow, '--since', '1h', '--json']))
    assert.deepEqual([since, JSON.parse(listed)], [0, [{ callId }]])
    assert.match((await output(run(['replay'])))[2], /Which calls\?/)
    dev.child.kill('SIGINT')
    await dev.ended
  })

  await t.test('dev turns extended events on, and leaves the rest of the flow unchanged', async (t) => {
    const { token } = JSON.parse(await readFile(join(OFFHOOK_DATA, 'first-run.json'), 'utf8')) as FirstRunNotes
    const api = createClient({ baseUrl: http, token })
    const { url } = await customer(t)
    const flow = async () => {
      const { items } = await api.listFlows()
      const {
        id: _id,
        speech: _speech,
        listener: _listener,
        health: _health,
        version: _version,
        ...settings
      } = items.find(({ webhookUrl }) => webhookUrl === url) ?? assert.fail()
      return settings
    }
    const devWith = async (...events: string[]): Promise<string> => {
      const dev = run(['dev', '--endpoint', url, '--events', ...events])
      await said(dev, 'stderr', /go to http/)
      dev.child.kill('SIGINT')
      return dev.stderr
    }
    assert.match(
      await devWith('dtmf_received,user_speak_partial'),
      /session_end, dtmf_received; user_speak_partial over a WebSocket only; \d+ more/,
    )
    const { items } = await api.listFlows()
    const aiFlowId = items.find(({ webhookUrl }) => webhookUrl === url)?.id ?? assert.fail()
    const settings = { name: 'Mine', webhookUrl: url, language: 'en-GB', retry_text: 'Pardon?', vad: { end_of_turn_silence_ms: 700 } }
    await api.changeFlow({ aiFlowId }, { ...settings, apiKey: 'k3y', extended_events: ['user_speak_partial'] })
    await devWith()
    const usual = { ...settings, apiKeySet: true, extended_events: [...usualExtendedEvents, 'user_speak_partial'] }
    assert.deepEqual(await flow(), usual, 'what a flow had named is still there')
    await devWith('all')
    assert.deepEqual(await flow(), { ...usual, extended_events: [...extendedEvents] })
    assert.match((await output(run(['dev', '--endpoint', url, '--events', 'dtmf'])))[2], /There is no event dtmf\./)
  })

  await t.test('dev reports immediately that nothing answers, and that egress is not allowed', async () => {
    const webhook = run(['dev', '--endpoint', 'http://127.0.0.1:1'])
    const webSocket = run(['dev', '--ws', 'ws://127.0.0.1:1'])
    await said(webhook, 'stderr', /nothing answers at http:\/\/127\.0\.0\.1:1\/ yet\. Start your assistant/)
    await said(
      webSocket,
      'stderr',
      /no connection to ws:\/\/127\.0\.0\.1:1\/: .*not public.*\n.*OFFHOOK_EGRESS_ALLOW=127\.0\.0\.1:1 npm start/,
    )
    for (const { child, ended } of [webhook, webSocket]) {
      child.kill('SIGINT')
      assert.equal(await ended, 0)
    }
  })

  await t.test('say reads lines from a pipe', async () => {
    const program = run(['say', '--flow', 'Demo', '--patience', '0'])
    program.child.stdin?.end('one\n/5\ngoodbye\n')
    const [code, conversation] = await output(program)
    assert.equal(code, 0)
    assert.match(conversation, /^▶ one\n[^]*▶ \/5\n[^]*▶ goodbye\n/m)
  })

  await t.test('say --fast takes no time, and fails when an expected text is missing', async () => {
    const said = ['--expect', 'you said: one', '--expect', 'goodbye']
    const [code, conversation, notified] = await output(
      run(['say', 'one', 'goodbye', '--flow', 'Demo', '--fast', '--from', '491570000001', ...said]),
    )
    assert.equal(code, 0, notified)
    assert.match(conversation, /◀ You said: one\n▶ goodbye\n◀ Goodbye!?\n$/)
    const [missing, , why] = await output(run(['say', 'one', '--flow', 'Demo', '--fast', '--expect', 'two']))
    assert.deepEqual([missing, /This was not said: two/.test(why)], [1, true], why)
  })

  await t.test('say --fast hears the whole answers of live() assistants', async () => {
    const { token } = JSON.parse(await readFile(join(OFFHOOK_DATA, 'first-run.json'), 'utf8')) as FirstRunNotes
    await createClient({ baseUrl: http, token }).createFlow({}, { name: 'Live', websocketUrl: webSocket.href })
    const [code, conversation, ended] = await output(run(['say', 'one', '', 'bye', '--flow', 'Live', '--fast']))
    assert.equal(code, 0, ended)
    assert.equal(conversation, '◀ Hi\n▶ one\n◀ Oh one.\n◀ And?\n▶ bye\n◀ Oh bye.\n◀ And?\n')
  })

  await t.test('test --live runs scenarios in typed calls', async (t) => {
    const file = join(await temporaryFolder(t), 'demo.scenario.yaml')
    const steps =
      '[{ say: one }, { expect: { said: you said one } }, { say: goodbye }, { expect: { ended: assistant_hangup, action: hangup } }]'
    await writeFile(file, `name: demo\nsteps: ${steps}\n`)
    const [code, report] = await output(run(['test', file, '--flow', 'Demo', '--live', '--fast']))
    assert.equal(code, 0, report)
    assert.match(report, /✔ demo/)
  })

  await t.test('say ends with the call without waiting for further input', async () => {
    const program = run(['say', '--flow', 'Demo', '--patience', '2'])
    program.child.stdin?.write('goodbye\n')
    assert.equal(await program.ended, 0)
  })

  await t.test('say at a terminal keeps the input below the conversation, and hangs up on Ctrl-D', async (t) => {
    const terminal = spawn('script', ['-qec', `"${process.execPath}" bin/offhook.mjs say --flow Demo`, '/dev/null'], {
      cwd: join(import.meta.dirname, '../..'),
      env: { ...process.env, OFFHOOK_DATA, OFFHOOK_HTTP: new URL(http).host },
    })
    t.after(() => terminal.kill('SIGKILL'))
    let shown = ''
    const shows = async (words: RegExp): Promise<void> => {
      while (!words.test(shown)) shown += String(((await once(terminal.stdout, 'data')) as [Buffer])[0])
    }
    terminal.stdin.write('typed early\n')
    await shows(/◀ You said: typed early/)
    terminal.stdin.write('\u0004')
    await shows(/The call is over: caller_hangup/)
    const [code] = (await once(terminal, 'exit')) as [number]
    assert.deepEqual([code, /ERR_/.test(shown)], [0, false], shown)
  })

  await t.test('token prints the token of commands, and creates, lists and revokes personal ones', async () => {
    const notes = JSON.parse(await readFile(join(OFFHOOK_DATA, 'first-run.json'), 'utf8')) as { token: string; operator: { token: string } }
    assert.deepEqual(await output(run(['token'])), [0, `${notes.token}\n`, ''])
    assert.deepEqual(await output(run(['token', '--operator'])), [0, `${notes.operator.token}\n`, ''])
    const [, made] = await output(run(['token', 'create', 'laptop', '--scopes', 'users:read', 'all']))
    const OFFHOOK_TOKEN = made.trim()
    const [id = ''] = OFFHOOK_TOKEN.split(':')
    const [listed, list] = await output(run(['token', 'list']))
    assert.deepEqual([listed, list], [0, `${id}  laptop  users:read all\n`])
    const used = offhook(t, ['say', 'goodbye', '--flow', 'Demo', '--url', http, '--patience', '0'], { OFFHOOK_TOKEN })
    assert.equal(await used.ended, 0)
    assert.equal(await run(['token', 'revoke', id]).ended, 0)
    const [refused, , why] = await output(offhook(t, ['say', 'goodbye', '--url', http], { OFFHOOK_TOKEN }))
    assert.equal(refused, 1)
    assert.match(why, /^offhook: The token is not valid.*\nUse one of this service: --token/)
  })

  await t.test("prints the service's error texts", async () => {
    const cases: [string[], RegExp][] = [
      [['say', '--flow', 'nobody', 'hi'], /^offhook: There is no flow nobody\. There are:\n {2}\S+ {2}Demo\n/],
      [['call', '+4930231250'], /^offhook: None of the caller’s phones can be reached.*\nRegister your phone first/],
      [['call', '+4930231250', '--flow', 'Demo'], /^offhook: Outbound calls by assistants are not enabled.*\nThe operator enables them/],
      [['call', 'abc'], /^offhook: callee is not a valid phone number\.\nWrite it as you would dial it/],
      [['tail', '--call', 'nothing'], /^offhook: No call with this callId .*\.\n$/],
      [['token', 'create', 'x', '--scopes', 'dancing'], /^offhook: scopes\/0 must be one of all, .*\n$/],
    ]
    for (const [args, why] of cases) {
      const [code, stdout, stderr] = await output(run(args))
      assert.deepEqual([code, stdout], [1, ''], args.join(' '))
      assert.match(stderr, why)
    }
  })

  await t.test('call rings your phone, then the number', async (t) => {
    if (!(await needs(t, 'baresip'))) return
    const notes = JSON.parse(await readFile(join(OFFHOOK_DATA, 'first-run.json'), 'utf8')) as Required<FirstRunNotes>
    const { user, password, server: registrar } = notes.sip
    const phone = await startBaresip(t, { user, password, registrar, answer: 'auto', tone: 0 }) // the assistant does not greet a caller who speaks
    await phone.event('REGISTER_OK')
    const followed = run(['call', notes.number, '--follow'])
    await said(followed, 'stdout', /speaks/)
    await phone.event('CALL_ESTABLISHED')
    await phone.hangUp()
    const [code, shown] = await output(followed)
    assert.equal(code, 0)
    assert.match(shown, /^[\w-]{36}\n[^]*call +started e0 → \+\d+\n[^]*call +answered\n[^]*call +ended caller_hangup/)
  })

  await t.test('tail and listen report a lost service once, and resume when it is back', async () => {
    const listeners = [run(['tail', '--url', http]), run(['listen', '--flow', 'Demo', '--to', 'http://127.0.0.1:1', '--url', http])]
    const back = listeners.map((one) =>
      said(one, 'stderr', /(listening to|go to) [^]*\n.*trying again until.*\n(?:.*\n)*.*(listening to|go to)/),
    )
    await Promise.all(listeners.map((one) => said(one, 'stderr', /listening to|go to/)))
    service.child.kill('SIGINT')
    await service.ended
    await ready(run(['serve'], { OFFHOOK_HTTP: new URL(http).host, OFFHOOK_SPEECH: 'tones' }))
    await Promise.all(back)
    for (const one of listeners) {
      one.child.kill('SIGINT')
      const [code, , stderr] = await output(one)
      assert.deepEqual([code, stderr.split('\n').length], [0, 4], stderr)
    }
  })

  await t.test('doctor finds the running service', async () => {
    const [, report] = await output(run(['doctor'], { OFFHOOK_HTTP: new URL(http).host }))
    assert.match(report, new RegExp(`✔ service +running at ${http} as process \\d+ [^]*\n✔ port \\d+ tcp +used by the service`))
  })
})
