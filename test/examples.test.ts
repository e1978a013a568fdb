// test: own process
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { endpointAt, runScenario } from '@offhook/sdk'
import { readScenario } from '@offhook/sdk/scenarios/read-scenario.ts'
import { startModelServer } from '#test/model/model-server.ts'
import { exampleSettings, featureExamples } from '#test/peers/feature-examples.ts'
import { startExample } from '#test/peers/example.ts'
import { readEndpointReply } from '#core/assistant/delivery/replies/read-endpoint-reply.ts'
import { newWebhookSecret, signWebhook } from '#core/kernel/webhook/standard-webhooks.ts'

const session = { id: '6f1f2c0e-7d0b-4a53-9f0e-2a1b7f4c9d11', account_id: '1234567', phone_number: '4921100000' }

/** Parsed as by the service: every action is valid. */
const actionsIn = (text: string): Record<string, unknown>[] => {
  const { actions, problems } = readEndpointReply(Buffer.from(text), session.id)
  assert.deepEqual(problems, [])
  return [...actions]
}

test('answers only signed requests in the echo endpoint', async (t) => {
  const secret = newWebhookSecret()
  const url = await startExample(t, 'echo', { SECRET: secret })
  const post = (event: Record<string, unknown>, secrets = [secret]): Promise<Response> => {
    const body = JSON.stringify({ session, ...event })
    const headers = signWebhook({ id: 'evt_1', timestampSeconds: Math.floor(Date.now() / 1000), body, secrets })
    return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })
  }
  const answered = async (event: Record<string, unknown>): Promise<string[]> =>
    actionsIn(await (await post(event)).text()).map(({ type, text }) => `${String(type)}${typeof text === 'string' ? `: ${text}` : ''}`)

  assert.match((await answered({ type: 'session_start' }))[0] ?? '', /^speak: Hello!/)
  assert.deepEqual(await answered({ type: 'user_speak', text: 'good morning', barged_in: false }), ['speak: You said: good morning'])
  for (const text of ['Bye!', 'Good-bye.', 'Good-by', 'Goodbye', 'Tschüss', 'Auf Wiedersehen'])
    assert.deepEqual(await answered({ type: 'user_speak', text, barged_in: false }), ['speak: Goodbye!', 'hangup'], text)
  assert.deepEqual(await answered({ type: 'session_end', reason: 'caller_hangup' }), [])
  assert.equal((await post({ type: 'session_start' }, [newWebhookSecret()])).status, 401)
  assert.equal((await fetch(url, { method: 'POST', body: '{' })).status, 401)
  // Two signatures during a secret rotation.
  assert.equal((await post({ type: 'session_start' }, [newWebhookSecret(), secret])).status, 200)
})

test('passes the scenarios of the examples', async (t) => {
  const examples = [
    ['echo', 'endpoint.mjs'],
    ['appointments', 'assistant.ts'],
    ['customer-line', 'assistant.ts'],
  ] as const
  for (const [name, program] of examples) {
    const url = await startExample(t, name, {}, program)
    const file = join(import.meta.dirname, '../examples', name, `${name}.scenario.yaml`)
    const { state, failures } = await runScenario(readScenario(await readFile(file, 'utf8'), file), endpointAt(url), { quietMs: 1000 })
    assert.deepEqual([state, failures], ['passed', []], name)
  }
})

test('passes the scenario of each feature, in less than 60 lines', async (t) => {
  const examples = featureExamples()
  assert.ok(examples.length >= 9)
  for (const { name, programs, hold } of examples) {
    for (const { file, lines } of programs) assert.ok(lines < 60, `${name}/${file}`)
    assert.deepEqual(await hold(await startExample(t, `features/${name}`, exampleSettings, 'assistant.ts')), [], name)
  }
})

test('rejects clients without the key in the appointment line', async (t) => {
  const url = await startExample(t, 'appointments', { API_KEY: 'key' }, 'assistant.ts')
  await assert.rejects(once(new WebSocket(url), 'open'), /401/)
})

test('requests extended events in the customer line, and answers each with valid actions', async (t) => {
  const url = await startExample(t, 'customer-line', { API_KEY: 'key' }, 'assistant.ts')
  await assert.rejects(once(new WebSocket(url), 'open'), /401/)
  const socket = new WebSocket(url, { headers: { 'x-api-key': 'key' } })
  t.after(() => socket.terminate())
  await once(socket, 'open')
  const answer = async (event: Record<string, unknown>): Promise<Record<string, unknown>[]> => {
    const came = once(socket, 'message') as Promise<[Buffer]>
    socket.send(JSON.stringify({ session, ...event }))
    return actionsIn(String((await came)[0]))
  }
  const said = async (event: Record<string, unknown>): Promise<unknown[]> => (await answer(event)).map(({ type, text }) => text ?? type)
  const user = (turn: number, text: string, more = {}) => ({ type: 'user_speak', text, barged_in: false, turn, ...more })
  const digits = { expects: 'digits', expects_digits: 6, prefetch: ['Thank you. How can I help?'] }

  const [configured, asked] = await answer({ type: 'session_start', turn: 0 })
  assert.equal(configured?.turn_taking, 'patient')
  assert.deepEqual({ ...asked, ...digits }, asked, 'it says what it expects and what it may say next')
  const unsure = [{ text: 'five', start_ms: 0, end_ms: 200, confidence: 0.3 }]
  assert.match(String(await said(user(1, '4 7 1 1 0 5', { words: unsure }))), /not sure about five/)
  assert.match(String(await said(user(2, '4 7 1'))), /six digits/)
  assert.deepEqual(await said(user(3, '4 7 1 1 0 8.')), ['Thank you. How can I help?'])

  socket.send(JSON.stringify({ session, type: 'user_speak_partial', text: 'When do you open on', stable_chars: 16, turn: 3 }))
  const preview = { type: 'user_speak_preview', turn_token: 'one', text: 'When exactly?', end_probability: 0.9, turn: 3 }
  const [early] = await answer(preview)
  assert.deepEqual([early?.text, early?.turn_token], ['We are open from nine to five. Anything else?', 'one'])
  socket.send(JSON.stringify({ session, ...user(4, 'When exactly?', { previewed: true }) })) // already answered

  const unclear = { type: 'user_speech_unclear', duration_ms: 900, turn: 4 }
  assert.deepEqual(await said(unclear), ['Sorry?'])
  const [guess] = await answer({ ...unclear, best_guess: 'a bill', confidence: 0.3 })
  assert.deepEqual([guess?.text, guess?.expects], ['Did you say a bill', 'yes_no'])
  const [, transfer] = await answer(user(5, 'I want a person.'))
  assert.deepEqual([transfer?.type, transfer?.mode, typeof transfer?.briefing], ['transfer', 'warm', 'string'])
  assert.deepEqual(await said({ type: 'transfer_failed', target: '+493023125001', cause: 'declined', turn: 5 }), [
    'Nobody has time right now.',
  ])
  assert.deepEqual((await answer({ type: 'dtmf_received', digit: '#', turn: 5 }))[0]?.now, true)
  assert.deepEqual(await said(user(6, 'Goodbye.')), ['Goodbye!', 'hangup'])
})

test('discloses, greets and answers with the configured model in the prompt assistant', async (t) => {
  const model = await startModelServer(t, [{ when: 'open', say: 'At nine.' }])
  const url = await startExample(t, 'prompt-assistant', { API_KEY: 'key', MODEL_URL: model.url, MODEL_KEY: 'sk-1' }, 'assistant.ts')
  await assert.rejects(once(new WebSocket(url), 'open'), /401/)
  const socket = new WebSocket(url, { headers: { 'x-api-key': 'key' } })
  t.after(() => socket.terminate())
  await once(socket, 'open')
  let sequence = 0
  const send = (event: Record<string, unknown>): void => socket.send(JSON.stringify({ session, sequence: ++sequence, ...event }))
  /** Waits for a completed speech, which the caller has then heard. */
  const said = (event: Record<string, unknown>): Promise<string> => {
    let text = ''
    const whole = new Promise<string>((resolve) => {
      const take = (data: Buffer): void => {
        for (const action of actionsIn(data.toString()).filter(({ type }) => type === 'speak')) {
          text += String(action.text)
          if (action.last === false) continue
          socket.off('message', take)
          resolve(text.trim())
        }
      }
      socket.on('message', take)
    })
    send(event)
    return whole
  }
  const heard = (text: string, turn: number) => ({ type: 'assistant_speak', text, duration_ms: 900, speech_started_at: 0, turn })

  const disclosure = await said({ type: 'session_start', turn: 0 })
  assert.match(disclosure, /automated assistant/)
  const greeting = await said(heard(disclosure, 0))
  assert.match(greeting, /^Hello, you have reached the reception/)
  send(heard(greeting, 0))
  assert.equal(await said({ type: 'user_speak', text: 'When do you open?', barged_in: false, turn: 1 }), 'At nine.')
  assert.equal(model.model.last?.headers['authorization'], 'Bearer sk-1')
})

const root = join(import.meta.dirname, '..')

test('says in every example how to run it, with first commands that work after npm ci', async (t) => {
  // The README of examples/features names one of its programs; all of them run above.
  for (const name of (await readdir(join(root, 'examples'))).filter((one) => one !== 'features')) {
    const [file = ''] = (await readdir(join(root, 'examples', name))).filter((one) => !/^\.|^README|\.scenario\./.test(one))
    const readme = await readFile(join(root, 'examples', name, 'README.md'), 'utf8')
    const source = await readFile(join(root, 'examples', name, file), 'utf8')
    const command = `${file.endsWith('.py') ? 'python' : 'node'} examples/${name}/${file}`
    assert.ok(readme.includes(command), name)
    assert.ok(
      source.split('\n', 5).some((line) => line.includes(file.endsWith('.py') ? file : command)),
      name,
    )
  }
  // The machine's Node may be too old to strip types: npx takes the one that npm installed.
  const [first = ''] = (await readFile(join(root, 'examples/first-assistant/assistant.ts'), 'utf8')).split('\n')
  const [program = '', ...args] = (/(npx .*)$/.exec(first)?.[1] ?? '').split(' ')
  const child = spawn(program, args, {
    cwd: root,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  const ended = once(child, 'exit')
  t.after(async () => {
    process.kill(-(child.pid ?? assert.fail('it did not start')))
    await ended
  })
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  assert.match(line, /listens on port/)
})
