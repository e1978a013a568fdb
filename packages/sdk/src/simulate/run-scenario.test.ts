import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Scenario } from '@offhook/contract/assistant/scenario.ts'
import { live } from '../live/live.ts'
import { runScenario, unjudgedIn, unmeasuredIn } from './run-scenario.ts'
import type { Endpoint } from './endpoint-line.ts'

const restaurant = () =>
  live({
    session_start: () => 'Welcome to the bistro. How can I help you?',
    async *user_speak({ text }, { send }) {
      if (/open/.test(text)) {
        send({ type: 'note', name: 'tool', data: { name: 'hours' } })
        yield 'Let me see. '
        await new Promise((resolve) => setTimeout(resolve, 2))
        yield 'We are open from Tuesday to Sunday.'
      } else if (/menu/.test(text))
        for (const word of 'Soup, fish, cake, and many more things that take a while to tell.'.split(/(?<= )/)) yield word
      else if (/human/.test(text)) yield* ['I connect you.', { type: 'transfer', target: 'p0' } as const]
      else yield* ['Goodbye.', { type: 'hangup' } as const]
    },
    session_end: () => ({ type: 'result', outcome: 'informed' }),
  })

const scenario = (steps: Scenario['steps'], name = 'test'): Scenario => ({ name, steps })

test('passes a scenario that meets its expectations', async () => {
  const steps: Scenario['steps'] = [
    { expect: { said: 'welcome', not_said: 'open' } },
    { say: 'When are you open?' },
    { expect: { said: ['let me see', 'tuesday to sunday'], tool: 'hours', within_ms: 5_000 } },
    { say: 'Thank you' },
    { expect: { said: '/good ?bye/', action: 'hangup', ended: 'assistant_hangup', outcome: 'informed' } },
  ]
  const { tookMs: _, ...report } = await runScenario(scenario(steps), restaurant())
  assert.deepEqual(report, {
    name: 'test',
    state: 'passed',
    failures: [],
    transcript: [
      { atMs: 0, turn: 0, by: 'assistant', text: 'Welcome to the bistro. How can I help you?' },
      { atMs: 2800, turn: 1, by: 'caller', text: 'When are you open?' },
      { atMs: 4000, turn: 1, by: 'assistant', action: 'tool (hours)' },
      { atMs: 4000, turn: 1, by: 'assistant', text: 'Let me see. We are open from Tuesday to Sunday.' },
      { atMs: 7133, turn: 2, by: 'caller', text: 'Thank you' },
      { atMs: 7733, turn: 2, by: 'assistant', text: 'Goodbye.' },
      { atMs: 8266, turn: 2, by: 'assistant', action: 'hangup' },
      { atMs: 8266, turn: 2, by: 'service', action: 'ended (assistant_hangup)' },
      { atMs: 8266, turn: 2, by: 'assistant', action: 'result (informed)' },
    ],
    ended: 'assistant_hangup',
    conversationMs: 8266,
  })
})

test('interrupts where the scenario says and repeats with the same report', async () => {
  const steps: Scenario['steps'] = [
    { say: 'What is on the menu?' },
    { expect: { said: 'soup fish cake', not_said: 'take a while' } },
    { say: 'Stop. I want to talk to a human', into_ms: 1_500 },
    { expect: { action: 'transfer', target: 'p0', ended: 'transferred' } },
  ]
  const reports = await Promise.all([1, 2, 3].map(() => runScenario(scenario(steps), restaurant())))
  assert.equal(reports[0]?.state, 'passed', JSON.stringify(reports[0]?.failures))
  assert.deepEqual(reports[0]?.transcript[2], { atMs: 4133, turn: 1, by: 'assistant', text: 'Soup, fish, cake, and', cut: true })
  const [first, ...others] = reports.map((report) => JSON.stringify({ ...report, tookMs: 0 }))
  for (const other of others) assert.equal(other, first)
})

test('reports expected, actual and position of each failure', async () => {
  const steps: Scenario['steps'] = [
    { expect: { said: 'bonjour' } },
    { say: 'A human' },
    { expect: { action: 'transfer', target: 'p1', not_said: 'connect' } },
    { say: 'Hello?' },
    { expect: { said: 'never reached' } },
  ]
  const { state, failures, ended } = await runScenario(scenario(steps), restaurant())
  assert.deepEqual([state, ended], ['failed', 'transferred'])
  const said = 'but what was said is'
  assert.deepEqual(failures, [
    { step: 1, turn: 0, message: `At the beginning: expected to hear “bonjour”, ${said} “Welcome to the bistro. How can I help you?”.` },
    { step: 3, turn: 1, message: `After the caller said “A human”: expected not to hear “connect”, ${said} “I connect you.”.` },
    {
      step: 3,
      turn: 1,
      message:
        'After the caller said “A human”: expected the action transfer (p1), but what was done is: transfer (p0), result (informed).',
    },
    { step: 4, turn: 1, message: 'The caller was to say “Hello?”, but the call was over (transferred).' },
  ])
})

test('fails on invalid frames of the endpoint', async () => {
  const odd: Endpoint = {
    connect: (send) => ({
      receive: (frame) => {
        const { type, session } = JSON.parse(frame) as { type: string; session: { id: string } }
        if (type === 'session_start') send(JSON.stringify([{ type: 'sing', session_id: session.id }, { type: 'done' }]))
        if (type === 'user_speak') send('<html>')
      },
      close: () => {},
    }),
  }
  const { state, failures, ended } = await runScenario(scenario([{ say: 'a' }, { say: 'b' }, { say: 'c' }, { say: 'd' }]), odd, {
    quietMs: 1,
  })
  assert.deepEqual([state, ended], ['failed', 'endpoint_unavailable'])
  assert.deepEqual(
    failures.map(({ message }) => message),
    [
      'The caller was to say “d”, but the call was over (endpoint_unavailable).',
      'there is no action “sing”',
      ...Array(3).fill('the answer could not be read: <html>'),
    ],
  )
})

test('waits for silence when the endpoint does not report the end of its answer', async () => {
  const plain: Endpoint = {
    connect: (send) => ({
      receive: (frame) => {
        const { type, text, session, turn } = JSON.parse(frame) as { type: string; text: string; session: { id: string }; turn: number }
        if (type === 'user_speak') setTimeout(() => send(JSON.stringify({ type: 'speak', session_id: session.id, turn, text })), 3)
      },
      close: () => {},
    }),
  }
  const steps: Scenario['steps'] = [{ say: 'echo' }, { expect: { said: 'echo' } }]
  const { state } = await runScenario(scenario(steps), plain, { quietMs: 20, patienceMs: 40 })
  assert.equal(state, 'passed')
})

test('uses a model as judge and as caller', async () => {
  const claims: string[] = []
  const steps: Scenario['steps'] = [
    { caller: { persona: 'in a hurry', goal: 'to know when it is open', turns: 3 } },
    { judge: 'The assistant was friendly.' },
  ]
  const moves = [{ say: 'When are you open?' }, { hang_up: true } as const]
  const report = await runScenario(scenario(steps), restaurant(), {
    playCaller: async () => moves.shift() ?? { say: 'What?' },
    judge: async (claim, transcript) => {
      claims.push(`${claim} ${transcript.length}`)
      return { holds: false, why: 'It was short.' }
    },
  })
  assert.equal(report.ended, 'caller_hangup')
  assert.deepEqual(report.failures, [
    { step: 2, turn: 1, message: 'The judge does not find that “The assistant was friendly.”: It was short.' },
  ])
  const without = await runScenario(scenario(steps), restaurant())
  assert.deepEqual([without.state, without.failures[0]?.message], ['error', 'A model has to play the caller, and there is none.'])
})

test('reports claims that were not judged', async () => {
  const report = await runScenario(scenario([{ say: 'Hm' }, { judge: 'It was friendly.' }]), restaurant())
  assert.equal(report.state, 'passed')
  assert.equal(unjudgedIn(report), 1)
  assert.ok(report.transcript.some(({ by, action }) => by === 'service' && action === 'not judged (It was friendly.)'))
})

test('fails the step when its pattern is invalid or the search throws', async () => {
  const steps: Scenario['steps'] = [{ expect: { said: '/(/' } }, { expect: { not_said: '/slow/' } }, { expect: { said: '/welcome/' } }]
  const { state, failures } = await runScenario(scenario(steps), restaurant(), {
    search: ({ source }, text) => {
      if (source === 'slow') throw new Error('it takes too long')
      return { index: 0, length: text.length }
    },
  })
  assert.equal(state, 'failed')
  assert.deepEqual(
    failures.map(({ step, message }) => [step, message]),
    [
      [1, 'At the beginning: /(/ cannot be looked for: Invalid regular expression: /(/iu: Unterminated group'],
      [2, 'At the beginning: /slow/ cannot be looked for: it takes too long'],
    ],
  )
})

test('fails beyond a limit, and names limits that only a spoken call measures', async () => {
  const slow = live({
    session_start: () => 'Hello.',
    async user_speak() {
      await new Promise((resolve) => setTimeout(resolve, 5))
      return 'Yes.'
    },
  })
  const limits = { response_p95_ms: 1, cut_offs: 0 }
  const report = await runScenario({ ...scenario([{ say: 'Hello?' }]), limits }, slow)
  assert.equal(report.state, 'failed')
  assert.match(report.failures[0]?.message ?? '', /^response_p95_ms is \d+, and the limit is 1\.$/)
  assert.deepEqual([report.figures?.responsesMs.length, unmeasuredIn(report)], [1, 1])
})
