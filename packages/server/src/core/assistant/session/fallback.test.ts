import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unreachable, type Input } from '#test/session/scripted-endpoint.ts'
import { openSession, type SessionFixture } from '#test/session/session-fixture.ts'
import type { OutgoingEvent } from '#core/kernel/ports/assistant.ts'

const colleague = '+4921163559999'

const reason = async (fixture: SessionFixture): Promise<unknown> => {
  const ends = await fixture.ends()
  assert.ok(ends.length <= 1)
  return ends[0]?.body.type === 'session_end' ? ends[0].body.reason : undefined
}

test('plays the fallback text and hangs up when session_start cannot be delivered', async (t) => {
  const { fixture, caller } = await openSession(t, { reply: unreachable })
  await fixture.seconds(2)
  assert.match(fixture.conversation.log.join(), /^say Dieser Dienst ist zurzeit leider nicht erreichbar/)
  fixture.conversation.callerSays('Hello?', { breaksIn: false })
  await fixture.seconds(10)
  assert.ok(caller.over)
  assert.equal(await reason(fixture), 'endpoint_unavailable')
  assert.deepEqual(new Set(fixture.channel.types), new Set(['session_start', 'assistant_speak']))
  assert.deepEqual(fixture.exchange.failures, [], 'that is no fault of ours')
})

test("uses the flow's fallback text, the flow's language, or a transfer target", async (t) => {
  const own = await openSession(t, { reply: unreachable, settings: { fallback: { text: 'Closed' } } })
  await own.fixture.seconds(1)
  assert.deepEqual([own.fixture.conversation.log[0], await reason(own.fixture)], ['say Closed', 'endpoint_unavailable'])

  const english = await openSession(t, { reply: unreachable, settings: { language: 'en-GB' } })
  assert.match(english.fixture.conversation.log.join(), /^say We are sorry/)

  const { fixture, caller } = await openSession(t, { settings: { fallback: { text: 'One moment', transferTo: colleague } } })
  await fixture.exchange.addTrunk()
  fixture.endpoints.reply = unreachable
  for (const _ of [1, 2, 3]) {
    fixture.conversation.callerSays('Hello?')
    await fixture.seconds(0.1)
  }
  await fixture.seconds(1)
  fixture.exchange.phone.answers()
  await fixture.rest()
  assert.equal(await reason(fixture), 'transferred')
  assert.equal(caller.hears.length, 1)
})

test("speaks system phrases in the current language, else the flow's, else English", async (t) => {
  const reply = ({ body }: OutgoingEvent): Input[] | Error => {
    if (body.type === 'session_start') return [{ type: 'configure_transcription', languages: ['fr-FR'] }]
    return body.type === 'user_speak' ? unreachable() : []
  }
  const { fixture } = await openSession(t, { reply, settings: { language: 'de' } })
  const spoken = async (...voices: string[]): Promise<string | undefined> => {
    fixture.conversation.speaks = (language) => voices.includes(language)
    fixture.conversation.callerSays('Allô ?')
    await fixture.seconds(1)
    return fixture.conversation.log.at(-1)
  }
  assert.equal(await spoken('fr-FR', 'de'), 'say Excusez-moi, je n’ai pas compris. Pouvez-vous répéter, s’il vous plaît ?')
  assert.match((await spoken('de')) ?? '', /^say Entschuldigung/)
})

test('plays a goodbye and hangs up when the fallback target does not answer', async (t) => {
  const { fixture, caller } = await openSession(t, {
    reply: unreachable,
    settings: { fallback: { transferTo: colleague }, language: 'en' },
  })
  await fixture.seconds(60)
  assert.ok(caller.over)
  assert.deepEqual(
    fixture.conversation.log.map((line) => line.slice(0, 16)),
    ['interrupt', 'say We are sorry', 'interrupt', 'close'],
  )
  assert.equal(await reason(fixture), 'endpoint_unavailable')
})

test('asks the caller to repeat an undelivered turn and ends the call after three consecutive failures', async (t) => {
  let broken = true
  const reply = ({ body }: OutgoingEvent): Input[] | Error => (body.type === 'user_speak' && broken ? unreachable() : [])
  const { fixture, caller } = await openSession(t, { reply, settings: { retryText: 'Again?' } })
  const turn = async (): Promise<void> => {
    fixture.conversation.callerSays('Hello')
    await fixture.seconds(1)
  }
  await turn()
  await turn()
  assert.deepEqual(fixture.conversation.log, ['say Again?', 'say Again?'])
  broken = false
  await turn()
  broken = true
  await turn()
  await turn()
  assert.equal(caller.over, undefined)
  await turn()
  assert.match(fixture.conversation.log.at(-1) ?? '', /nicht erreichbar/)
  await fixture.seconds(10)
  assert.equal(await reason(fixture), 'endpoint_unavailable')
})

test('treats an unreadable WebSocket message as a failed answer unless a readable one follows', async (t) => {
  const { fixture, caller } = await openSession(t, { duplex: true, settings: { retryText: 'Again?', fillers: { off: true } } })
  const nonsense = (why = 'the answer is not JSON'): void =>
    fixture.channel.observer.acts({ actions: [], problems: [{ index: -1, message: why }], refused: why })
  nonsense()
  fixture.channel.acts({ type: 'speak', text: 'Hello' })
  await fixture.seconds(5)
  assert.deepEqual(fixture.conversation.log, ['say Hello'])
  for (const _ of [1, 2]) {
    fixture.conversation.callerSays('A table')
    await fixture.seconds(0.3)
    nonsense('session_id is that of another session')
    await fixture.seconds(3)
  }
  assert.deepEqual(fixture.conversation.log, ['say Hello', 'say Again?', 'say Again?'])
  const [, , turn] = fixture.channel.sent
  assert.deepEqual(fixture.channel.failures[0], [turn?.id, 'session_id is that of another session'])
  fixture.conversation.callerSays('A table')
  await fixture.seconds(0.3)
  nonsense()
  await fixture.seconds(10)
  assert.ok(caller.over)
  assert.equal(await reason(fixture), 'endpoint_unavailable')
})

test('treats an answer without words as none, and tells the endpoint', async (t) => {
  for (const duplex of [false, true]) {
    const settings = { retryText: 'Again?', fallback: { text: 'Closed' }, extendedEvents: ['action_discarded'] } as const
    const reply = ({ body }: OutgoingEvent): Input[] => (body.type === 'user_speak' ? [{ type: 'speak', text: '👍' }] : [])
    const { fixture, caller } = await openSession(t, { duplex, settings, reply })
    for (const _ of [1, 2]) {
      fixture.conversation.callerSays('A table')
      await fixture.seconds(3)
    }
    assert.deepEqual(fixture.conversation.log, ['say Again?', 'say Again?'])
    const [first] = fixture.channel.ofType('action_discarded')
    assert.deepEqual([first?.action, first?.turn, first?.reason], ['speak', 1, 'unspeakable'])
    const why = 'there is nothing in it that a voice can say'
    assert.deepEqual(fixture.channel.failures[0], [fixture.channel.sent.find(({ body }) => body.type === 'user_speak')?.id, why])
    fixture.conversation.callerSays('A table')
    await fixture.seconds(10)
    assert.ok(caller.over)
    assert.equal(fixture.conversation.log.includes('say Closed'), true)
    assert.equal(await reason(fixture), 'endpoint_unavailable')
  }
})

test('treats an unreadable first message as an unreachable endpoint', async (t) => {
  const { fixture, caller } = await openSession(t, { duplex: true, settings: { fallback: { text: 'Closed' } } })
  fixture.channel.observer.acts({ actions: [], problems: [], refused: 'the answer is not JSON' })
  await fixture.seconds(3)
  assert.ok(caller.over)
  assert.deepEqual([fixture.conversation.log[0], await reason(fixture)], ['say Closed', 'endpoint_unavailable'])
})

test('treats a permanently lost WebSocket as an unreachable endpoint', async (t) => {
  const { fixture, caller } = await openSession(t, { duplex: true })
  fixture.channel.acts({ type: 'speak', text: 'What is being said is said to its end' })
  await fixture.seconds(1)
  fixture.channel.observer.lost()
  fixture.channel.acts({ type: 'speak', text: 'too late' })
  await fixture.seconds(20)
  assert.equal(fixture.channel.ofType('assistant_speak')[0]?.text, 'What is being said is said to its end')
  assert.equal(fixture.conversation.log.includes('say too late'), false)
  assert.ok(caller.over)
  assert.equal(await reason(fixture), 'endpoint_unavailable')
})

test('gives up on an endpoint that is too far behind', async (t) => {
  const reply = ({ body }: OutgoingEvent): Input[] | Promise<Input[]> => (body.type === 'session_start' ? [] : new Promise(() => {}))
  const { fixture, caller } = await openSession(t, { reply, settings: { extendedEvents: ['dtmf_received'] } })
  caller.presses('0'.repeat(65))
  await fixture.rest()
  assert.deepEqual(fixture.conversation.log, [])
  caller.presses('0')
  await fixture.seconds(30)
  assert.ok(caller.over)
  assert.equal(await reason(fixture), 'endpoint_unavailable')
})

test('keeps a pending transfer when the endpoint is lost, and ends the call only if it fails', async (t) => {
  const settings = { transferTargets: [colleague], fallback: { text: 'Closed' } }
  const taken = await openSession(t, { duplex: true, settings })
  await taken.fixture.exchange.addTrunk()
  taken.fixture.channel.acts({ type: 'transfer', target: colleague })
  await taken.fixture.seconds(5)
  taken.fixture.channel.observer.lost()
  await taken.fixture.seconds(5)
  assert.deepEqual([taken.caller.over, taken.fixture.conversation.log.includes('say Closed')], [undefined, false])
  taken.fixture.exchange.phone.answers()
  await taken.fixture.seconds(5)
  assert.deepEqual([taken.caller.over, await reason(taken.fixture)], [undefined, 'transferred'])

  const refused = await openSession(t, { duplex: true, settings })
  await refused.fixture.exchange.addTrunk()
  refused.fixture.channel.acts({ type: 'transfer', target: colleague })
  await refused.fixture.seconds(5)
  refused.fixture.channel.observer.lost()
  refused.fixture.exchange.phone.refuses('busy')
  await refused.fixture.seconds(5)
  assert.ok(refused.fixture.conversation.log.includes('say Closed'))
  assert.equal(await reason(refused.fixture), 'endpoint_unavailable')
})

test('hangs up after two minutes of an endless goodbye', async (t) => {
  const { fixture, caller } = await openSession(t, { reply: unreachable, settings: { fallback: { text: 'x'.repeat(10_000) } } })
  await fixture.seconds(119)
  assert.equal(caller.over, undefined)
  await fixture.seconds(11)
  assert.ok(caller.over)
  assert.equal(await reason(fixture), 'endpoint_unavailable')
})
