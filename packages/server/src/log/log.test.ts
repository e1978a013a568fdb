// test: own process
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { pino } from 'pino'
import { temporaryFolder } from '#test/store/databases.ts'
import { offhook, ready } from '#test/machine/program.ts'
import { SipPhone } from '#test/phones/sip-phone.ts'
import type { FirstRunNotes } from '#first-start/first-start.ts'
import { logEvents, type LogEventCode } from './log-events.ts'
import { withoutNumbers } from './log.ts'

const callee = '+4915112345678'

type Ask = (method: string, path: string, options?: { token?: string; body?: unknown; form?: Record<string, string> }) => Promise<string>

/** Returns the reply as text, whatever its status. */
const asking =
  (http: string): Ask =>
  async (method, path, { token, body, form } = {}) => {
    const type = form ? 'application/x-www-form-urlencoded' : 'application/json'
    const content = form ? new URLSearchParams(form).toString() : body === undefined ? undefined : JSON.stringify(body)
    const reply = await fetch(`${http}${path}`, {
      method,
      headers: { ...(content !== undefined && { 'content-type': type }), ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      redirect: 'manual',
      ...(content !== undefined && { body: content }),
    })
    return reply.text()
  }

const resetLink = async (data: string): Promise<string> => {
  for (;;) {
    const [mail] = await readdir(join(data, 'mail')).catch(() => [])
    if (mail?.endsWith('.eml')) return /reset\/([\w-]{20,})/.exec(await readFile(join(data, 'mail', mail), 'utf8'))?.[1] ?? ''
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Uses the whole API, and returns all values that must not be logged. */
const useEverything = async (ask: Ask, notes: FirstRunNotes, data: string): Promise<string[]> => {
  const { email = '', password = '', token = '', number = '', sip, flowId, operator } = notes
  const outsider = { username: 'stranger@example.com', password: 'a wrong password' }
  await ask('POST', '/v1/authorization/token', { body: outsider })
  const session = await ask('POST', '/v1/authorization/token', { body: { username: email, password } })
  const grant = { client_id: 'manager', grant_type: 'password', username: email, password }
  const pair = JSON.parse(await ask('POST', '/login/token', { form: grant })) as Record<string, string>
  await ask('POST', '/login/token', { form: { ...grant, password: outsider.password } })
  await ask('POST', '/operator/v1/session', { body: { email: operator.email, password: operator.password } })
  for (const path of ['/v1/account', '/v1/users', '/v1/w0/numbers', '/v1/balance', `/v1/${callee}/numbers`, `/nowhere/${callee}`])
    await ask('GET', path, { token })
  await ask('PUT', '/v1/numbers/1', { token, body: { endpointId: callee } })
  await ask('POST', '/v1/numbers/quickdial', { token, body: { userId: 'w0', number: '44' } })
  await ask('POST', '/v1/sessions/calls', { token, body: { caller: 'e0', callee } })
  await ask('POST', '/v1/sessions/sms', { token, body: { smsId: 's0', recipient: callee, message: 'spoken words' } })
  await ask('POST', `/v3/ai-flows/${flowId}/call`, { token, body: { billingDevice: 'e0', toPhoneNumber: callee.slice(1) } })
  await ask('POST', '/v1/passwordreset', { body: { username: outsider.username } })
  await ask('POST', '/v1/passwordreset', { body: { username: email } })
  const nonce = await resetLink(data)
  const fresh = { password: 'another long password', passwordRepeat: 'another long password' }
  await ask('POST', `/v1/passwordreset/${nonce}`, { body: { ...fresh, passwordRepeat: 'x' } })
  await ask('POST', `/v1/passwordreset/${nonce}`, { body: fresh })
  await ask('GET', '/v1/account', { token: 'abc.def.ghi' })
  const tokens = [
    token,
    operator.token,
    (JSON.parse(session) as { token: string }).token,
    pair.access_token ?? '',
    pair.refresh_token ?? '',
  ]
  const passwords = [password, operator.password, outsider.password, fresh.password, sip?.password ?? '']
  return [...tokens, ...passwords, nonce, email, outsider.username, operator.email, callee.slice(1), number.slice(1), 'spoken words']
}

/** One answered and one failed call: each leaves its lines in the log. */
const makeCalls = async (t: TestContext, { sip, number = '' }: FirstRunNotes, server: string): Promise<void> => {
  const { user = '', password = '' } = sip ?? {}
  const phone = await SipPhone.open(t, { server: server.slice('sip:'.length), user, password })
  const call = phone.call(number)
  await call.answered
  await call.session.end()
  await phone.call(callee).ended
}

const notesIn = async (data: string): Promise<FirstRunNotes> =>
  JSON.parse(await readFile(join(data, 'first-run.json'), 'utf8')) as FirstRunNotes

test('OFFHOOK_LOG_NUMBERS=on logs the phone numbers of calls', async (t) => {
  const OFFHOOK_DATA = await temporaryFolder(t)
  const program = offhook(t, [], { OFFHOOK_DATA, OFFHOOK_LOG_NUMBERS: 'on' })
  const { sip } = await ready(program)
  const notes = await notesIn(OFFHOOK_DATA)
  await makeCalls(t, notes, sip)
  program.child.kill('SIGTERM')
  await program.ended
  for (const number of [notes.number ?? '', callee])
    assert.match(await program.stderr, new RegExp(`"to":"\\+?${number.slice(1)}".*call ended`))
})

test('phone numbers are removed from a log line wherever they stand, ids and times stay', () => {
  const line = (value: unknown): string =>
    JSON.stringify({ level: 30, time: 1_763_270_400_000, value, msg: 'the state of a trunk has changed' })
  const gone = ['+4930123456', '004930123456', '4930123456', '+49 (30) 123-456', 'sip:110@x', '<tel:116117>', 'say "4930123456"']
  for (const text of gone) {
    const written = withoutNumbers(line({ text: [`403 ${text} is not yours`] }))
    assert.doesNotMatch(written, /110|116117|4930|123/, text)
    assert.match(written, /403 .*\(number\)/)
    JSON.parse(written)
  }
  for (const text of [
    '0b9a2f9c-1234-4321-8000-012345678901',
    '1000001e0',
    '127.0.0.1:50600',
    'sip:127.0.0.1:5060',
    '1000001',
    4_930_123_456,
  ])
    assert.equal(withoutNumbers(line(text)), line(text))
})

test('the log holds no personal data, phone number or secret, and every line is an event of the catalogue', async (t) => {
  const OFFHOOK_DATA = await temporaryFolder(t)
  const first = offhook(t, [], { OFFHOOK_DATA })
  await ready(first)
  first.child.kill('SIGTERM')
  await first.ended
  const notes = await notesIn(OFFHOOK_DATA)

  const second = offhook(t, [], { OFFHOOK_DATA, OFFHOOK_LOG: 'debug' })
  const { http, sip } = await ready(second)
  await makeCalls(t, notes, sip)
  const unsaid = await useEverything(asking(http), notes, OFFHOOK_DATA)
  second.child.kill('SIGTERM')
  await second.ended
  const log = await second.stderr
  for (const logged of [/"event":"mail_written_to_file"/, /"event":"call_answered","callId":"[\w-]{36}","msg":"call answered"/])
    assert.match(log, logged, 'the log does log')
  for (const line of log
    .trim()
    .split('\n')
    .filter((one) => one.startsWith('{'))) {
    const { event, level, msg, callId } = JSON.parse(line) as { event: LogEventCode; level: number; msg: string; callId?: string }
    assert.ok(Object.hasOwn(logEvents, event), line)
    assert.ok(callId !== undefined || !event.startsWith('call_'), line)
    assert.deepEqual([pino.levels.labels[level], msg], [logEvents[event].level, logEvents[event].text])
  }
  for (const secret of unsaid) {
    assert.ok(secret.length >= 8, 'too short to be looked for')
    assert.ok(!log.includes(secret), secret)
  }
})

test('only type, code, message and stack of an error are logged', () => {
  const script = `import { openLog } from ${JSON.stringify(join(import.meta.dirname, 'log.ts'))}
    const row = Object.assign(new Error('a check failed'), { code: '23514', detail: 'Failing row contains (ada@example.com)' })
    openLog({ level: 'info', numbers: false })('operation_failed', { err: new Error('outer', { cause: row }) })`
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  const { err } = JSON.parse(stderr) as { err: { message: string; cause: { message: string; code: string; stack: string } } }
  assert.deepEqual([err.message, err.cause.message, err.cause.code], ['outer', 'a check failed', '23514'])
  assert.doesNotMatch(stderr, /ada@/)
})
