import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { until } from '#test/machine/peer-process.ts'
import { needs } from '#test/peers/debian.ts'
import type { RtpPhone } from '#test/phones/rtp-phone.ts'
import { startAssistantEndpoint, type AssistantEndpoint } from '#test/peers/assistant-endpoint.ts'
import { SipPhone } from '#test/phones/sip-phone.ts'
import { hearsInTones, isUnderstood, saysInTones } from '#test/phones/tone-speech.ts'
import {
  doubled,
  heardBy,
  heardUntilNow,
  longestGap,
  silences,
  startProcesses,
  talkAt,
  type Processes,
  type Talk,
} from '#test/service/processes.ts'

const talksAt = async (t: TestContext, processes: Processes, at: number, count: number): Promise<Talk[]> => {
  const talks: Talk[] = []
  for (let nth = 0; nth < count; nth++) talks.push(await talkAt(t, processes, at))
  return talks
}

/** A call at the first process with an assistant that knows all events. */
const callAssistant = async (t: TestContext, { all: [first = assert.fail()] }: Processes, endpoint: AssistantEndpoint) => {
  const { id } = await first.admin.createFlow({}, { name: 'Assistant', webhookUrl: endpoint.url, extended_events: true })
  const number = await first.newNumber(id)
  const { user, password } = await first.newDevice()
  const phone = await SipPhone.open(t, { server: first.sip, user, password })
  const call = phone.call(number)
  await call.answered
  await endpoint.received('session_start')
  return { phone, call }
}

/** Phones hang up, and each call is reported once, with its duration. */
const endAll = async (processes: Processes, talks: readonly Talk[]): Promise<void> => {
  const truth = new Map<string, number>()
  for (const { callId, atCaller, atCallee, startedAt } of talks) {
    truth.set(callId, (performance.now() - startedAt) / 1000)
    await atCaller.session.end()
    assert.equal((await atCallee.ended).by, 'peer')
  }
  const entries = await until('in the history', async () => {
    const { items } = await processes.admin(1).listHistory({ userId: 'w0' })
    const ended = items.filter(({ callId = '' }) => truth.has(callId))
    return ended.length >= talks.length ? ended : undefined
  })
  assert.equal(entries.length, talks.length)
  for (const { callId = '', duration = 0 } of entries) {
    const seconds = truth.get(callId) ?? assert.fail('another call')
    assert.ok(Math.abs(duration - seconds) <= 1.2, `${duration} instead of ${seconds}`)
  }
  assert.deepEqual((await processes.admin(1).listCalls()).data, [])
}

/** Waits for this many packets: 50 are a second. */
const heardMore = (rtp: RtpPhone, count: number): Promise<void> => {
  const target = rtp.packets.length + count
  return rtp.until(() => rtp.packets.length >= target)
}

const said = (t: TestContext, what: string, gaps: readonly number[]): void => {
  const sorted = gaps.map(Math.round).toSorted((a, b) => a - b)
  t.diagnostic(`${what}: silence ${sorted.join(' ')} ms`)
  // Below 2 s on an idle machine; busy machines get a generous limit.
  assert.ok((sorted.at(-1) ?? Infinity) < 10_000)
}

test('keeps calls of a killed process up, with all call controls working', async (t) => {
  if (!(await needs(t, 'nats-server'))) return
  const processes = await startProcesses(t, 3)
  const talks = await talksAt(t, processes, 0, 4)
  const before = heardUntilNow(talks)
  processes.all[0]?.program.child.kill('SIGKILL')
  said(t, 'killed', await silences(talks, before))
  const [at1, at2] = [processes.admin(1), processes.admin(2)]
  for (const { callId } of talks) {
    await at1.holdCall({ callId }, { value: true })
    await at2.holdCall({ callId }, { value: false })
  }
  await endAll(processes, talks)
})

test('answers the next sentence in the same session after a process with assistants is killed', async (t) => {
  if (!(await needs(t, 'nats-server'))) return
  const endpoint = await startAssistantEndpoint(t, ({ type, session, ...event }) => {
    if (type === 'session_start') return { type: 'speak', session_id: session.id, text: 'hello' }
    return type === 'user_speak' && 'text' in event ? { type: 'speak', session_id: session.id, text: `yes ${event.text}` } : undefined
  })
  const processes = await startProcesses(t, 3, { OFFHOOK_SPEECH: 'tones', OFFHOOK_EGRESS_ALLOW: endpoint.address })
  const [first = assert.fail()] = processes.all
  const flow = async (extended: boolean): Promise<string> => {
    const { id } = await first.admin.createFlow({}, { name: 'Assistant', webhookUrl: endpoint.url, extended_events: extended })
    return first.newNumber(id)
  }
  const callers = []
  for (const number of [await flow(true), await flow(false)]) {
    const { user, password } = await first.newDevice()
    const phone = await SipPhone.open(t, { server: first.sip, user, password })
    const call = phone.call(number)
    await call.answered
    await hearsInTones(phone, 'hello')
    await isUnderstood(phone, endpoint, 'one')
    await hearsInTones(phone, 'yes one')
    callers.push({ phone, call })
  }
  const before = heardBy(callers.map(({ phone }) => phone))
  first.program.child.kill('SIGKILL')
  for (const { phone } of callers) {
    await heardMore(phone.rtp, 20)
    await isUnderstood(phone, endpoint, 'two')
    await hearsInTones(phone, 'yes two')
    said(t, 'assistant', [longestGap(phone, Math.max((before.get(phone) ?? 0) - 1, 0))])
  }
  for (const { call } of callers) await call.session.end()
  const ends = await endpoint.received('session_end', 2)
  assert.deepEqual(
    ends.map(({ reason }) => reason),
    ['caller_hangup', 'caller_hangup'],
  )
  const starts = endpoint.ofType('session_start').map(({ session }) => session.id)
  assert.deepEqual(new Set(ends.map(({ session }) => session.id)), new Set(starts))
  assert.deepEqual(
    endpoint.ofType('session_resumed').map(({ session }) => session.id),
    starts.slice(0, 1),
    'only for who asks',
  )
  for (const id of starts) {
    const sequences = endpoint.events
      .filter(({ body }) => body.session.id === id)
      .map(({ headers }) => Number(headers['x-offhook-sequence']))
    assert.deepEqual(
      sequences,
      sequences.toSorted((a, b) => a - b),
    )
    assert.equal(new Set(sequences).size, sequences.length)
  }
})

test('takes over the calls of a frozen process, which does not take them back', async (t) => {
  if (!(await needs(t, 'nats-server'))) return
  const endpoint = await startAssistantEndpoint(t)
  const processes = await startProcesses(t, 3, { OFFHOOK_SPEECH: 'tones', OFFHOOK_EGRESS_ALLOW: endpoint.address })
  const talks = await talksAt(t, processes, 0, 3)
  const caller = await callAssistant(t, processes, endpoint)
  const before = heardUntilNow(talks)
  const { child } = processes.all[0]?.program ?? assert.fail()
  saysInTones(caller.phone, 'one')
  child.kill('SIGSTOP')
  said(t, 'stopped', await silences(talks, before))
  await Promise.all(talks.map(({ caller: { rtp } }) => heardMore(rtp, 100)))
  await isUnderstood(caller.phone, endpoint, 'two')
  const woken = heardUntilNow(talks)
  const events = endpoint.events.length
  child.kill('SIGCONT')
  await until('it has dropped them', async () => (await processes.all[0]?.operator.listNodes())?.items.every(({ calls }) => calls < 3))
  assert.ok(talks.every(({ atCaller, atCallee }) => [atCaller, atCallee].every(({ session }) => session.state === 'confirmed')))
  const gaps = await silences(talks, woken)
  assert.ok(Math.max(...gaps) < 1_000, gaps.join(' '))
  const phones = [...talks.flatMap(({ caller: one, callee }) => [one, callee]), caller.phone]
  assert.deepEqual(
    phones.map(doubled),
    phones.map(() => 0),
    'the frozen process sends no packet after the others',
  )
  assert.deepEqual(
    endpoint.events.slice(events).map(({ body }) => body.type),
    [],
    'it sends no event',
  )
  await caller.call.session.end()
  await endpoint.received('session_end')
  await endAll(processes, talks)
})

test('hands over calls on SIGTERM without interruption, and ends without waiting for them', async (t) => {
  if (!(await needs(t, 'nats-server'))) return
  const processes = await startProcesses(t, 3, { OFFHOOK_DRAIN_SECONDS: '60' })
  const talks = await talksAt(t, processes, 0, 5)
  const before = heardUntilNow(talks)
  const { child, ended } = processes.all[0]?.program ?? assert.fail()
  const startTime = performance.now()
  child.kill('SIGTERM')
  assert.equal(await ended, 0)
  const ms = performance.now() - startTime
  t.diagnostic(`ended after ${Math.round(ms)} ms`)
  assert.ok(ms < 15_000, 'it did not wait for them')
  said(t, 'handed over', await silences(talks, before))
  await endAll(processes, talks)
})

/** Longer than the heartbeat tolerates (400 ms), so that the process detects its delay when it resumes. */
const stallMs = 700

test('an idle process answers after a stall, with SIP messages waiting on its socket', async (t) => {
  if (!(await needs(t, 'nats-server'))) return
  const processes = await startProcesses(t, 2)
  const { sip, http, program } = processes.all[1] ?? assert.fail()
  const [host = '', port = ''] = sip.split(':')
  const socket = createSocket('udp4')
  t.after(() => socket.close())
  const answers: string[] = []
  socket.on('message', (message) => answers.push(String(message)))
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  for (let round = 0; round < 5; round++) {
    program.child.kill('SIGSTOP')
    for (let nth = 0; nth < 3; nth++) socket.send(options(`${round}-${nth}`, socket.address().port), Number(port), host)
    const stoppedAt = performance.now()
    await until('stall', () => performance.now() - stoppedAt > stallMs || undefined)
    program.child.kill('SIGCONT')
    const health = await fetch(`${http}/health`, { signal: AbortSignal.timeout(10_000) })
    assert.equal(health.status, 200, `round ${round}`)
  }
  socket.send(options('last', socket.address().port), Number(port), host)
  await until('answer', () => answers.some((answer) => answer.includes('branch=z9hG4bK-last')) || undefined)
})

const options = (branch: string, port: number): string =>
  [
    'OPTIONS sip:ping@127.0.0.1 SIP/2.0',
    `Via: SIP/2.0/UDP 127.0.0.1:${port};branch=z9hG4bK-${branch};rport`,
    `From: <sip:ping@127.0.0.1>;tag=${branch}`,
    'To: <sip:ping@127.0.0.1>',
    `Call-ID: ${branch}`,
    'CSeq: 1 OPTIONS',
    'Max-Forwards: 70',
    'Content-Length: 0\r\n\r\n',
  ].join('\r\n')
