import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSession } from '#test/session/session-fixture.ts'
import { readPage } from '#core/telephone/timeline/read-timeline.ts'

const english = { language: 'en-GB', fillers: { afterMs: 10_000 } } as const
const again = 'say Sorry, I did not get that. Please say it again.'

test('asks the caller to repeat a voice without words, at most twice until words are recognised', async (t) => {
  const { fixture } = await openSession(t, { settings: english })
  const { conversation, channel } = fixture
  conversation.coughs(500)
  await fixture.seconds(5)
  assert.deepEqual(conversation.log, [], 'a cough')
  for (const _ of [1, 2, 3, 4]) {
    conversation.coughs(900)
    await fixture.seconds(5)
  }
  assert.deepEqual(conversation.log, [again, again], 'a noise that goes on')
  conversation.callerSays('A table')
  await fixture.seconds(1)
  conversation.coughs(900)
  await fixture.seconds(5)
  assert.deepEqual(conversation.log, [again, again, again])
  assert.deepEqual(channel.ofType('user_speech_unclear'), [])
})

test("uses the flow's retry text and does not ask while an answer is pending", async (t) => {
  const { fixture } = await openSession(t, { settings: { ...english, retryText: 'Pardon?' } })
  const { conversation, exchange } = fixture
  conversation.coughs(900)
  await fixture.seconds(1)
  assert.deepEqual(conversation.log, ['say Pardon?'])
  fixture.endpoints.reply = () => new Promise((resolve) => exchange.clock.after(3_000, () => resolve([])))
  conversation.callerSays('A table')
  conversation.coughs(900)
  await fixture.seconds(5)
  assert.deepEqual(conversation.log, ['say Pardon?'])
})

test('sends user_speech_unclear to endpoints that request it, also for uncertain words', async (t) => {
  const { fixture } = await openSession(t, { settings: { ...english, extendedEvents: ['user_speech_unclear'] } })
  const { conversation, channel } = fixture
  conversation.coughs(900)
  conversation.callerSays('Fuller', { confidence: 0.3 })
  await fixture.rest()
  const session = channel.sent[0]?.body.session
  assert.deepEqual(channel.ofType('user_speech_unclear'), [
    { type: 'user_speech_unclear', session, duration_ms: 900 },
    { type: 'user_speech_unclear', session, duration_ms: 900, best_guess: 'Fuller', confidence: 0.3 },
  ])
  assert.deepEqual([channel.ofType('user_speak'), conversation.log], [[], []])
  channel.observer.acts({ actions: [], problems: [] })
  conversation.callerSays('Folder', { confidence: 0.9 })
  await fixture.rest()
  assert.equal(channel.ofType('user_speak').length, 1)
  assert.equal(channel.sent.at(-1)?.turn, 1, 'what was unclear is no turn')
})

test('requires more confidence on a noisy line', async (t) => {
  const { fixture } = await openSession(t, { settings: { ...english, extendedEvents: ['user_speech_unclear'] } })
  const { conversation, channel } = fixture
  for (const snrDb of [7, 12, 30]) conversation.callerSays('Fuller', { confidence: 0.59, snrDb })
  await fixture.rest()
  assert.deepEqual([channel.ofType('user_speech_unclear').length, channel.ofType('user_speak').length], [2, 1])
})

test('sends uncertain words as user_speak to other endpoints and records all unclear speech in the timeline', async (t) => {
  const { fixture, customer } = await openSession(t, { settings: english, keepsTimelines: true })
  fixture.conversation.callerSays('Fuller', { confidence: 0.3 })
  fixture.conversation.coughs(900)
  await fixture.rest()
  assert.deepEqual(
    fixture.channel.ofType('user_speak').map(({ text }) => text),
    ['Fuller'],
  )
  await fixture.exchange.timelines.flush()
  const { accountId, userId } = customer
  const callId = fixture.channel.sent[0]?.sessionId ?? ''
  const caller = { kind: 'user', accountId, userId, admin: true, scopes: ['all'], tokenId: '' } as const
  const { items } = await readPage(fixture.exchange.store, { caller, locale: 'en_US' }, callId, { after: 0, limit: 100 })
  assert.deepEqual(
    items.flatMap((entry) => (entry.kind === 'unclear' ? [[entry.durationMs, entry.text, entry.confidence]] : [])),
    [
      [900, 'Fuller', 0.3],
      [900, undefined, undefined],
    ],
  )
})
