import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { live, type LiveOptions } from '../live/live.ts'
import type { LiveHandlers } from '../live/handlers.ts'
import type { Endpoint } from './endpoint-line.ts'
import { simulate } from './simulate.ts'
import { VirtualClock } from './virtual-clock.ts'

const menu = 'Tonight we have a soup of roasted carrots with ginger, fish and a cake.'

const bistro = (more: LiveHandlers<undefined> = {}, options: LiveOptions<undefined, void> = {}) =>
  live(
    {
      session_start: () => 'Welcome to the bistro.',
      async *user_speak({ text }) {
        if (/bye/i.test(text)) {
          yield 'Thank you. '
          yield 'Goodbye!'
          yield { type: 'hangup' }
        } else if (/human/i.test(text)) {
          yield 'One moment.'
          yield { type: 'transfer', target: 'p0' }
        } else yield /menu/.test(text) ? menu : `You said: ${text}`
      },
      ...more,
    },
    options,
  )

test('runs a call from the greeting to the end', async () => {
  const call = await simulate(bistro())
  call.expect({ said: 'welcome to the bistro' })
  await call.say('Hello')
  call.expect({ said: ['you said', '/hel+o/'], not_said: 'welcome', within_ms: 5_000 })
  await call.say('Goodbye')
  call.expect({ said: 'Thank you. Goodbye!', action: 'hangup', ended: 'assistant_hangup' })
  assert.equal(call.ended, 'assistant_hangup')
  await assert.rejects(
    call.say('Still there?'),
    /^ExpectationError: The call is over \(assistant_hangup\): “Still there\?” cannot be said\.$/,
  )
})

test('aborts an interrupted answer and reports the heard text to the assistant', async () => {
  const heard: unknown[] = []
  const call = await simulate(
    bistro({
      assistant_speak: ({ text, heard_text }) => void heard.push([text, heard_text]),
      async *user_speak({ text, barged_in, heard_text, heard_ms }, { spoken, signal }) {
        heard.push([barged_in, heard_text, heard_ms])
        yield text === 'The menu?' ? menu : 'Fine.'
        await spoken()
        heard.push(signal.aborted)
        if (text === 'The menu?') yield { type: 'hangup' } // too late: the caller speaks
      },
    }),
  )
  await call.say('The menu?', { listenMs: 2_000 })
  assert.equal(call.said, 'Tonight we have a soup of')
  await call.say('Stop')
  assert.equal(call.said, 'Fine.')
  assert.deepEqual(heard, [
    ['Welcome to the bistro.', undefined],
    [false, undefined, undefined],
    [menu, 'Tonight we have a soup of'],
    false,
    [true, 'Tonight we have a soup of', 2_000],
    ['Fine.', undefined],
    false,
  ])
  assert.deepEqual(
    call.transcript.map(({ by, text, cut }) => [by, text, cut]),
    [
      ['assistant', 'Welcome to the bistro.', undefined],
      ['caller', 'The menu?', undefined],
      ['assistant', 'Tonight we have a soup of', true],
      ['caller', 'Stop', undefined],
      ['assistant', 'Fine.', undefined],
    ],
  )
})

test('respects protected speech and barge_in none', async () => {
  const strict = bistro({
    session_start: () => [
      { type: 'speak', text: 'This call is recorded by a machine.', protect: true },
      { type: 'speak', text: 'Hello.' },
    ],
    user_speak: ({ text, barged_in }) => ({ type: 'speak', text: `${text} ${barged_in}`, barge_in: { strategy: 'none' } }),
  })
  const call = await simulate(strict, { listenMs: 1_000 })
  await call.say('What?', { listenMs: 2_000 })
  assert.deepEqual(
    call.transcript.map(({ by, text, cut }) => [by, text, cut]),
    [
      ['assistant', 'This call is recorded by a machine.', undefined],
      ['caller', 'What?', undefined],
      ['assistant', 'Hello.', undefined],
      ['assistant', '', undefined],
    ],
  )
  await call.say('Stop!')
  assert.equal(call.transcript.at(-1)?.action, 'not heard (barge_in: none)')
  assert.equal(call.transcript.find(({ text }) => text === 'What? false')?.cut, undefined)
})

test('uses the given clock for answer times, without real waiting', async () => {
  const clock = new VirtualClock(0)
  const slow = bistro({
    user_speak: async () => {
      await new Promise<void>((resolve) => void clock.after(2_500, resolve))
      return 'Well.'
    },
  })
  const call = await simulate(slow, { clock })
  await call.say('Think')
  call.expect({ said: 'well' })
  assert.throws(
    () => call.expect({ said: 'Well, yes', within_ms: 2_000 }),
    new RegExp(
      [
        '^ExpectationError: After the caller said “Think”: expected to hear “Well, yes”, but what was said is “Well\\.”\\.',
        'After the caller said “Think”: expected an answer within 2000 ms, but it took 2500 ms\\.$',
      ].join('\n'),
    ),
  )
  assert.equal(clock.pending(), 0)
})

test('simulates keys, silence, a failed transfer and a successful one', async () => {
  const notified: string[] = []
  const handlers: LiveHandlers<undefined> = {
    dtmf_received: ({ digit }) => `You pressed ${digit}.`,
    user_input_timeout: () => 'Are you there?',
    transfer_failed: ({ cause }) => `It is ${cause}.`,
    session_end: ({ reason }) => {
      notified.push(reason)
      return { type: 'result', outcome: 'connected' }
    },
  }
  let cause: string | undefined = 'busy'
  const call = await simulate(bistro(handlers), { transfer: () => cause })
  await call.press('12')
  call.expect({ said: ['You pressed 1', 'You pressed 2'] })
  await call.wait(8)
  call.expect({ said: 'are you there' })
  await call.say('A human, please')
  call.expect({ said: 'It is busy', action: 'transfer', target: 'p0' })
  cause = undefined
  await call.say('A human, please')
  call.expect({ ended: 'transferred', outcome: 'connected' })
  assert.deepEqual(notified, ['transferred'])
})

test('sends session_end and keeps the result that follows', async () => {
  const call = await simulate(
    bistro({
      session_end: async () => {
        await new Promise((resolve) => setTimeout(resolve, 5))
        return { type: 'result', outcome: 'none' }
      },
    }),
  )
  await call.hangUp()
  call.expect({ ended: 'caller_hangup', outcome: 'none' })
  assert.throws(() => call.expect({ outcome: 'booked', tool: 'book', action: 'transfer' }), {
    message: [
      'After the caller’s hang_up: expected the action transfer, but what was done is: result (none).',
      'After the caller’s hang_up: expected the tool book to be used, but none was.',
      'After the caller’s hang_up: expected the outcome booked, but it was none.',
    ].join('\n'),
  })
})

test('gives the assistant variables, and those that it sets from the next event on', async () => {
  const known: unknown[] = []
  const bot = bistro({
    session_start: ({ session }, turn) => {
      turn.send({ type: 'set_variables', variables: { table: 4, guests: null } })
      return `Hello ${session.variables?.['first_name']}.`
    },
    user_speak: ({ session }, turn) => {
      known.push(session.variables, turn.session.variables)
      return 'Yes.'
    },
  })
  const call = await simulate(bot, { variables: { first_name: 'Ada', guests: 2 } })
  call.expect({ said: 'hello ada' })
  await call.say('Is a table free?')
  assert.deepEqual(known, [
    { first_name: 'Ada', table: 4 },
    { first_name: 'Ada', table: 4 },
  ])
})

test('keeps a result that follows a late done', async () => {
  const endpoint: Endpoint = {
    connect: (send, _given, leave) => ({
      receive: (frame) => {
        const { type } = JSON.parse(frame) as { type: string }
        if (type === 'session_start') send('{"type":"hangup"}')
        if (type !== 'session_end') return
        send('{"type":"done","turn":0}')
        void eventLoopTurns(20).then(() => {
          send('{"type":"result","outcome":"none"}')
          leave?.()
        })
      },
      close: () => {},
    }),
  }
  const call = await simulate(endpoint)
  call.expect({ ended: 'assistant_hangup', outcome: 'none' })
})

const eventLoopTurns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await setImmediate()
}
