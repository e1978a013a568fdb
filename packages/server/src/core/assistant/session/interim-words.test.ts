import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSession, type SessionFixture } from '#test/session/session-fixture.ts'
import { ConversationFixture, nothingLeft } from '#test/session/conversation-fixture.ts'
import { userSpeak } from './turn.ts'
import { stableChars } from './previews.ts'

const settings = { extendedEvents: ['user_speak_partial'] } as const
const partials = ({ channel }: SessionFixture): [string, number][] =>
  channel.ofType('user_speak_partial').map(({ text, stable_chars: stable }) => [text, stable])

test('sends interim words with their stable length over a WebSocket before the turn', async (t) => {
  const { fixture } = await openSession(t, { settings, duplex: true })
  const { conversation } = fixture
  conversation.callerBegins()
  for (const text of ['I', 'I would', 'I would like a tape.', 'I would like a table for']) {
    conversation.events.emit('understood', text, true)
    await fixture.seconds(0.6)
  }
  conversation.events.emit('understood', 'I would like a table for', true)
  conversation.callerSays('I would like a table for two.')
  await fixture.seconds(1)
  assert.deepEqual(partials(fixture), [
    ['I', 0],
    ['I would', 1],
    ['I would like a tape.', 7],
    ['I would like a table for', 14],
  ])
  assert.equal(fixture.channel.types.at(-1), 'user_speak')
})

test('limits interim words to three per second and drops unheeded ones', async (t) => {
  const { fixture } = await openSession(t, { settings, duplex: true })
  const { conversation } = fixture
  conversation.callerBegins()
  for (let word = 1; word <= 10; word++) {
    conversation.events.emit('understood', 'one two three '.repeat(word).trim(), true)
    await fixture.seconds(0.1)
  }
  assert.equal(partials(fixture).length, 4)
  conversation.callerSays('one two three')
  conversation.callerBegins()
  conversation.events.emit('understood', 'not for us', false)
  await fixture.seconds(1)
  assert.equal(partials(fixture).length, 4)
})

test('sends interim words only if requested, and never over a webhook', async (t) => {
  const silent = [
    { settings, duplex: false },
    { settings: { extendedEvents: ['user_speech_started'] }, duplex: true },
  ] as const
  for (const options of silent) {
    const { fixture } = await openSession(t, options)
    fixture.conversation.callerBegins()
    fixture.conversation.events.emit('understood', 'hello', true)
    await fixture.seconds(1)
    assert.deepEqual(partials(fixture), [])
  }
})

test('polls the embedded recogniser every 600 ms during speech, only if requested', async () => {
  for (const wanted of [true, false]) {
    const fixture = new ConversationFixture({ wantsInterim: () => wanted })
    await fixture.caller.speaks('one two three four five six', 2500)
    assert.deepEqual(
      fixture.stt.glances.map(({ text }) => text),
      wanted ? ['one', 'one two three', 'one two three four', 'one two three four five six'] : [],
    )
    await fixture.caller.silent(1000)
    assert.deepEqual(fixture.story, ['speechStarted', 'said one two three four five six'])
    assert.deepEqual(await fixture.close(), nothingLeft)
  }
})

test('polls less often in a long turn, because all of it is recognised again', async () => {
  const fixture = new ConversationFixture({ wantsInterim: () => true })
  // One word for each tenth of a second.
  await fixture.caller.speaks(Array.from({ length: 120 }, (_, tenth) => String(tenth + 1)).join(' '), 12_000)
  const at = fixture.stt.glances.map(({ text }) => Number(text.split(' ').at(-1)))
  assert.deepEqual(at, [6, 12, 18, 24, 30, 36, 42, 49, 57, 67, 78, 91, 106])
  await fixture.caller.silent(1000)
  assert.deepEqual(await fixture.close(), nothingLeft)
})

test('postpones a poll while the recogniser is busy', async () => {
  const fixture = new ConversationFixture({ wantsInterim: () => true })
  fixture.stt.busy = true
  fixture.clock.after(1500, () => (fixture.stt.busy = false))
  await fixture.caller.speaks('one two three four five six', 2500)
  assert.equal(fixture.stt.glances.length, 2)
  await fixture.caller.silent(1000)
  assert.deepEqual(await fixture.close(), nothingLeft)
})

test('ends the stable part of two partials at a whole word', () => {
  const cases: [string, string, number][] = [
    ['', 'hello', 0],
    ['I want.', 'I want a table.', 6],
    ['a tape', 'a table', 1],
    ['a tab', 'a table', 1],
    ['hello', 'hello', 5],
    ['Hello there', 'Yellow chair', 0],
    ['grüße', 'grüße an', 5],
  ]
  for (const [before, now, stable] of cases) assert.equal(stableChars(before, now), stable, `${before} / ${now}`)
})

test('includes word times in the turn only for endpoints that support them', () => {
  const session = { id: 's', account_id: '1', phone_number: '2' }
  const timing = { speechEndedAt: 0, vadEndMs: 0, endpointMs: 0, sttFinalMs: 0 }
  const words = [{ text: 'hello', startMs: 80.4, endMs: 160.6, confidence: 0.9 }]
  const said = { text: 'hello', bargedIn: false, words, timing }
  const notified = { type: 'user_speak', session, text: 'hello', barged_in: false }
  assert.deepEqual(userSpeak(session, said, true), { ...notified, words: [{ text: 'hello', start_ms: 80, end_ms: 161, confidence: 0.9 }] })
  assert.deepEqual(userSpeak(session, said, false), notified)
})

test('reports word times since the caller began to speak', async () => {
  const fixture = new ConversationFixture()
  await fixture.caller.silent(1000)
  fixture.stt.timesWords = true
  await fixture.caller.speaks('hello there', 800)
  await fixture.caller.silent(1000)
  assert.deepEqual(fixture.all('said')[0]?.words, [
    { text: 'hello', startMs: 0, endMs: 400 },
    { text: 'there', startMs: 400, endMs: 800 },
  ])
  assert.deepEqual(await fixture.close(), nothingLeft)
})
