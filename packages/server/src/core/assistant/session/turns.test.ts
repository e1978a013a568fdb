import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Input } from '#test/session/scripted-endpoint.ts'
import { openSession, type SessionFixture } from '#test/session/session-fixture.ts'
import type { OutgoingEvent } from '#core/kernel/ports/assistant.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'

/** Replies to every caller turn with its words, after a delay. */
const slowly =
  (fixture: () => SessionFixture, ms: number) =>
  ({ body }: OutgoingEvent): Input[] | Promise<Input[]> => {
    if (body.type !== 'user_speak') return []
    const { clock } = fixture().exchange
    return new Promise((resolve) => clock.after(ms, () => resolve([{ type: 'speak', text: `answer to ${body.text}` }])))
  }

const discarding = { extendedEvents: ['action_discarded'], fillers: { off: true } } as const

test('speaks only the reply to the newest turn of a slow endpoint and discards the others', async (t) => {
  const { fixture } = await openSession(t, { settings: discarding })
  fixture.endpoints.reply = slowly(() => fixture, 4_000)
  for (const text of ['one', 'two', 'three']) {
    await fixture.seconds(1)
    fixture.conversation.callerSays(text)
  }
  await fixture.seconds(10)
  assert.deepEqual(fixture.conversation.log, ['say answer to three'])
  assert.deepEqual(
    fixture.channel.sent.map(({ turn, body }) => [turn, body.type === 'action_discarded' ? body.turn : body.type]),
    [
      [0, 'session_start'],
      [1, 'user_speak'],
      [2, 'user_speak'],
      [3, 'user_speak'],
      [3, 1],
      [3, 2],
      [3, 'assistant_speak'],
    ],
  )
  const [discarded] = fixture.channel.ofType('action_discarded')
  assert.deepEqual([discarded?.action, discarded?.reason], ['speak', 'superseded'])
})

test('reports an interruption with the heard text, after the cut speech', async (t) => {
  const reply = ({ body }: OutgoingEvent): Input[] =>
    body.type === 'session_start'
      ? [
          { type: 'speak', text: 'A long greeting that goes on and on' },
          { type: 'speak', text: 'never said' },
        ]
      : []
  const { fixture } = await openSession(t, { reply, settings: { extendedEvents: ['assistant_speech_ended', 'action_discarded'] } })
  await fixture.seconds(1)
  fixture.conversation.callerSays('Stop')
  await fixture.rest()
  assert.deepEqual(fixture.channel.types, ['session_start', 'assistant_speak', 'assistant_speech_ended', 'action_discarded', 'user_speak'])
  assert.deepEqual(fixture.channel.ofType('assistant_speak')[0]?.duration_ms, 1_000)
  assert.deepEqual(fixture.channel.ofType('assistant_speech_ended')[0]?.completed, false)
  assert.deepEqual(fixture.channel.ofType('action_discarded')[0]?.turn, 0)
  const [spoken] = fixture.channel.ofType('user_speak')
  assert.deepEqual([spoken?.barged_in, spoken?.heard_ms, spoken?.heard_text], [true, 1_000, ''])
  assert.match(fixture.channel.notes[0]?.[1].message ?? '', /spoken again/)
})

test('sends only basic events to an endpoint without extended events', async (t) => {
  const notifications = async (settings: FlowSettings): Promise<string[]> => {
    const { fixture, caller } = await openSession(t, { settings })
    caller.presses('1')
    fixture.conversation.coughs()
    const timing = { speechEndedAt: 0, vadEndMs: 0, endpointMs: 0, sttFinalMs: 0 }
    fixture.conversation.events.emit('said', { text: 'Hello', bargedIn: false, language: 'de', confidence: 0.9, timing })
    await fixture.rest()
    return fixture.channel.sent.map(({ body }) => Object.keys(body).join())
  }
  assert.deepEqual(await notifications({}), ['type,session', 'type,session,text,barged_in'])
  assert.deepEqual(await notifications({ extendedEvents: ['dtmf_received'] }), [
    'type,session',
    'type,session,digit',
    'type,session,text,barged_in,language,confidence',
  ])
})

test('queues events behind a pending one, except the next turn', async (t) => {
  const answers: ((inputs: Input[]) => void)[] = []
  const reply = ({ body }: OutgoingEvent): Promise<Input[]> | Input[] =>
    body.type === 'dtmf_received' ? new Promise((resolve) => answers.push(resolve)) : []
  const { fixture, caller } = await openSession(t, { reply, settings: { extendedEvents: ['dtmf_received'] } })
  caller.presses('12')
  await fixture.rest()
  assert.deepEqual(fixture.channel.types, ['session_start', 'dtmf_received'])
  answers[0]?.([{ type: 'speak', text: 'One' }])
  await fixture.rest()
  assert.deepEqual(
    fixture.channel.ofType('dtmf_received').map(({ digit }) => digit),
    ['1', '2'],
  )
  caller.presses('3')
  fixture.conversation.callerSays('Hello')
  await fixture.seconds(0.3)
  assert.deepEqual(fixture.channel.types.slice(3), ['dtmf_received', 'assistant_speak', 'user_speak'])
  for (const answer of answers) answer([{ type: 'hangup' }])
  await fixture.seconds(1)
  assert.equal(caller.over, undefined, 'the answer to a key before the newest turn is dropped')
})

test('sends key presses and similar events only if requested', async (t) => {
  const { fixture, caller } = await openSession(t, { reply: () => [{ type: 'speak', text: 'Hm' }] })
  await fixture.seconds(1)
  caller.presses('5')
  fixture.conversation.coughs()
  await fixture.seconds(20)
  fixture.conversation.callerSays('Hello')
  await fixture.rest()
  assert.deepEqual(new Set(fixture.channel.types), new Set(['session_start', 'assistant_speak', 'user_speak']))
})

test('WebSocket: accepts actions at any time, for the newest turn unless they name another', async (t) => {
  const { fixture, caller } = await openSession(t, {
    duplex: true,
    settings: { extendedEvents: ['user_speech_started', 'action_discarded'] },
  })
  fixture.channel.acts({ type: 'speak', text: 'Hello' })
  await fixture.seconds(1)
  fixture.conversation.callerSays('One')
  await fixture.rest()
  fixture.channel.acts({ type: 'speak', text: 'late', turn: 0 }, { type: 'speak', text: 'in time', turn: 1 })
  fixture.channel.acts({ type: 'speak', text: 'too' })
  await fixture.rest()
  assert.deepEqual(fixture.conversation.log, ['say Hello', 'say in time', 'say too'])
  assert.deepEqual(fixture.channel.types, ['session_start', 'assistant_speak', 'user_speech_started', 'user_speak', 'action_discarded'])
  fixture.channel.acts({ type: 'hangup', turn: 0 }, { type: 'hangup', now: true })
  await fixture.rest()
  assert.ok(caller.over)
  assert.equal((await fixture.ends())[0]?.body.type, 'session_end')
})

test('shows a withheld number as anonymous', async (t) => {
  const { fixture, customer } = await openSession(t)
  await fixture.exchange.callIn(customer.number, { caller: { number: undefined, name: '', withheld: true } })
  assert.equal(fixture.channel.ofType('session_start')[0]?.session.from_phone_number, 'anonymous')
})
