import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { unreachable, type Input } from '#test/session/scripted-endpoint.ts'
import { openSession, type SessionFixture } from '#test/session/session-fixture.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'

const answer: Input = { type: 'speak', text: 'It is ready.' }
const english = { language: 'en-GB' } as const

/** An endpoint that answers every caller turn slowly. */
const slow = async (
  t: TestContext,
  ms: number,
  { settings = english, reply = [answer] }: { settings?: FlowSettings; reply?: Input[] | Error } = {},
) => {
  const opened = await openSession(t, { settings })
  const { fixture } = opened
  fixture.endpoints.reply = ({ body }) =>
    body.type === 'user_speak' ? new Promise((resolve) => fixture.exchange.clock.after(ms, () => resolve(reply))) : []
  return { ...opened, conversation: fixture.conversation }
}

/** Longest silence in milliseconds since then. */
const longestSilence = ({ exchange, conversation }: SessionFixture, since: number): number => {
  const sounds = [...conversation.sounded.filter(({ from }) => from >= since), { from: exchange.clock.now(), to: 0 }]
  return Math.max(...sounds.map(({ from }, place) => from - (sounds[place - 1]?.to ?? since)))
}

test('plays fillers at 1.2, 4 and 7 s, then the answer after their end', async (t) => {
  const { fixture, conversation } = await slow(t, 7_500)
  const since = fixture.exchange.clock.now()
  conversation.callerSays('A table')
  await fixture.seconds(1.1)
  assert.deepEqual(conversation.log, [])
  await fixture.seconds(2.8)
  assert.deepEqual(conversation.log, ['fill One moment, please.'])
  await fixture.seconds(5.1)
  assert.deepEqual(conversation.log, [
    'fill One moment, please.',
    'fill Still working on it.',
    'fill Thank you for waiting.',
    'say It is ready.',
  ])
  assert.ok(longestSilence(fixture, since) <= 2_500, `${longestSilence(fixture, since)} ms`)
  assert.deepEqual(
    fixture.channel.ofType('assistant_speak').map(({ text }) => text),
    ['It is ready.'],
    'fillers are none of the endpoint’s business',
  )
})

test('plays fillers and the retry text for a missing answer, with at most 2.5 s of silence', async (t) => {
  const { fixture, conversation } = await slow(t, 8_000, { reply: unreachable() })
  const since = fixture.exchange.clock.now()
  conversation.callerSays('A table')
  await fixture.seconds(10.9)
  assert.equal(conversation.log.at(-1), 'say Sorry, I did not get that. Please say it again.')
  assert.ok(longestSilence(fixture, since) <= 2_500, `${longestSilence(fixture, since)} ms`)
})

test('plays a filler during a slow session_start', async (t) => {
  const { promise, resolve } = Promise.withResolvers<Input[]>()
  const { fixture } = await openSession(t, { settings: english, reply: ({ body }) => (body.type === 'session_start' ? promise : []) })
  await fixture.seconds(3)
  resolve([answer])
  await fixture.seconds(1)
  assert.deepEqual(fixture.conversation.log, ['fill Just a second.', 'say It is ready.'])
})

test('plays no filler without a pending answer, and varies the text between waits', async (t) => {
  const { fixture, conversation } = await slow(t, 500, { reply: [] })
  conversation.callerSays('Well')
  await fixture.seconds(10)
  assert.deepEqual(conversation.log, [])
  const again = await slow(t, 2_000)
  for (const _ of [1, 2, 3]) {
    again.conversation.callerSays('A table')
    await again.fixture.seconds(5)
  }
  const said = again.conversation.log.filter((line) => line.startsWith('fill'))
  assert.deepEqual(said, ['fill One moment, please.', 'fill Just a second.', 'fill One moment, please.'])
})

test("uses the flow's delay and texts, or none", async (t) => {
  const own = await slow(t, 9_000, { settings: { fillers: { afterMs: 3_000, texts: ['Hm.', 'Let me see.'] } } })
  own.conversation.callerSays('A table')
  await own.fixture.seconds(8.9)
  assert.deepEqual(own.conversation.log, ['fill Hm.', 'fill Let me see.', 'fill Hm.'])
  await own.fixture.seconds(1)
  const one = await slow(t, 5_000, { settings: { ...english, fillers: { texts: ['Hm.'] } } })
  one.conversation.callerSays('A table')
  await one.fixture.seconds(4.9)
  assert.deepEqual(one.conversation.log, ['fill Hm.', 'fill Just a second.'], 'never the same twice in a row')
  await one.fixture.seconds(1)
  const none = await slow(t, 5_000, { settings: { fillers: { off: true } } })
  none.conversation.callerSays('A table')
  await none.fixture.seconds(6)
  assert.deepEqual(none.conversation.log, ['say It is ready.'])
})

test("plays no filler while the caller speaks or under the endpoint's background audio", async (t) => {
  const { fixture, conversation } = await slow(t, 6_000)
  conversation.callerSays('A table')
  await fixture.seconds(1)
  conversation.callerBegins()
  await fixture.seconds(3)
  assert.deepEqual(conversation.log, [])
  conversation.coughs()
  await fixture.seconds(0.4)
  assert.deepEqual(conversation.log, ['fill One moment, please.'])
  await fixture.seconds(5)

  const music = await openSession(t, { duplex: true, settings: english })
  music.fixture.channel.acts({ type: 'mix_audio', audio: 'UklGRg==' })
  await music.fixture.rest()
  music.fixture.conversation.callerSays('A table')
  await music.fixture.seconds(20)
  assert.deepEqual(music.fixture.conversation.log, ['background on'])
})

test('WebSocket: plays at most two fillers until the first action; an empty message is an answer', async (t) => {
  const { fixture } = await openSession(t, { duplex: true, settings: english })
  const { conversation, channel } = fixture
  channel.acts()
  conversation.callerSays('A table')
  await fixture.seconds(0.5)
  channel.acts({ type: 'speak', text: 'Let me', stream_id: 's', last: false })
  await fixture.seconds(10)
  assert.deepEqual(conversation.log, ['say Let me'], 'none while a stream is open')
  conversation.callerSays('Hello?')
  await fixture.seconds(20)
  assert.deepEqual(conversation.log.slice(1), ['fill Just a second.', 'fill Still working on it.'])
  conversation.callerSays('Hello?')
  channel.acts()
  await fixture.seconds(20)
  assert.equal(conversation.log.length, 3)
})

test('reports caller words during a filler as a normal turn', async (t) => {
  const { fixture, conversation } = await slow(t, 3_000)
  conversation.callerSays('A table')
  await fixture.seconds(1.5)
  conversation.callerSays('For two')
  await fixture.seconds(6)
  const turns = fixture.channel.ofType('user_speak')
  assert.deepEqual(
    turns.map(({ text, barged_in }) => [text, barged_in]),
    [
      ['A table', false],
      ['For two', false],
    ],
  )
})
