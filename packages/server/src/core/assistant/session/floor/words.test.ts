import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nothingLeft, ConversationFixture, type ConversationFixtureOptions } from '#test/session/conversation-fixture.ts'

const statement = 'This is a rather long sentence which takes its time. And here is another one that is long as well.'
const question = 'I have found a table for two at eight in the evening. Shall I take that for you?'
/** The scripted voice needs 50 ms for a character. */
const questionFromMs = question.indexOf('Shall') * 50

const withFixture = async (options: ConversationFixtureOptions, play: (fixture: ConversationFixture) => Promise<void>): Promise<void> => {
  const fixture = new ConversationFixture(options)
  await play(fixture)
  assert.equal(fixture.leg.ducked, false)
  assert.deepEqual(await fixture.close(), nothingLeft)
}

/** Times of level changes, in milliseconds after the caller began to speak. */
const levels = (fixture: ConversationFixture, spokeAt: number): (string | number)[] =>
  fixture.all('ducked').flatMap(({ ducked, at }) => [ducked ? 'soft' : 'full', at - spokeAt])

test('defaults to words without barge_in, and to minimum_characters with it', () =>
  withFixture({}, async (fixture) => {
    fixture.say(statement)
    await fixture.caller.silent(1000)
    await fixture.caller.speaks('okay')
    await fixture.caller.silent(1000)
    assert.deepEqual(fixture.story, ['speechStarted', 'backchannel okay'])
    fixture.conversation.interrupt()
    fixture.say(statement, { barge_in: { allow_after_ms: 100 } })
    await fixture.caller.silent(1000)
    await fixture.caller.speaks('okay')
    await fixture.caller.silent(1000)
    assert.deepEqual(fixture.story.slice(-4), ['speechStarted', 'cut', 'quiet', 'said okay (barged in)'])
    assert.equal(fixture.all('spoke').at(-1)?.cutBy?.reason, 'characters')
  }))

test('ducks briefly for a back-channel over a statement and plays every word', () =>
  withFixture({}, async (fixture) => {
    fixture.say(statement)
    await fixture.caller.silent(1500)
    const at = fixture.clock.now()
    await fixture.caller.speaks('mhm okay', 400)
    await fixture.caller.silent(6000)
    assert.deepEqual(fixture.story, ['speechStarted', 'backchannel mhm okay', 'spoke', 'quiet'])
    assert.deepEqual(levels(fixture, at), ['soft', 60, 'full', 800])
    assert.equal(fixture.heard.length, statement.replace('. ', '.').length * 50 * 8)
    assert.equal(fixture.heardInOrder, true)
    assert.equal(fixture.leg.feeds.length, 1)
  }))

test('treats a back-channel as an answer only in the last clause of a question', () =>
  withFixture({}, async (fixture) => {
    fixture.say(question)
    await fixture.caller.silent(1000)
    await fixture.caller.speaks('okay', 300)
    await fixture.caller.silent(questionFromMs + 200 - 1300)
    await fixture.caller.speaks('yes', 300)
    await fixture.caller.silent(1500)
    assert.deepEqual(fixture.story, ['speechStarted', 'backchannel okay', 'speechStarted', 'cut', 'quiet', 'said yes (barged in)'])
    const [spoken] = fixture.all('spoke')
    assert.deepEqual(spoken?.cutBy, { reason: 'answer', text: 'yes' })
    assert.equal(spoken?.heardText, 'I have found a table for two at eight in the evening. Shall I')
    assert.equal(fixture.all('said')[0]?.heardText, spoken?.heardText)
  }))

test('accepts an answer to a speech with expects, with or without a question mark', () =>
  withFixture({}, async (fixture) => {
    fixture.say('I can book the table for you now. Please say yes or no to that.', { expects: 'yes_no' })
    await fixture.caller.silent(2000)
    await fixture.caller.speaks('yes', 300)
    await fixture.caller.silent(1500)
    assert.deepEqual(fixture.story, ['speechStarted', 'cut', 'quiet', 'said yes (barged in)'])
  }))

test('reports a back-channel as a turn if the speech ends before it', () =>
  withFixture({}, async (fixture) => {
    fixture.say('Your table is booked.')
    await fixture.caller.silent(700)
    await fixture.caller.speaks('okay', 300)
    await fixture.caller.silent(1500)
    assert.deepEqual(fixture.story, ['speechStarted', 'spoke', 'quiet', 'said okay'])
  }))

test('accepts an answer to a question while another speech is queued', () =>
  withFixture({}, async (fixture) => {
    fixture.stt.confidence = 0.3
    fixture.say('Shall I?', {}, 'one')
    fixture.say('Please say yes or no.', {}, 'two')
    await fixture.caller.silent(150)
    await fixture.caller.speaks('yes', 500)
    await fixture.caller.silent(3000)
    assert.deepEqual(fixture.story, ['speechStarted', 'spoke', 'discarded two', 'quiet', 'said yes'])
  }))

test('stops at the first known words and reports the reason', () =>
  withFixture({}, async (fixture) => {
    fixture.say(statement)
    await fixture.caller.silent(1500)
    const at = fixture.clock.now()
    await fixture.caller.speaks('Tuesday would be better', 2000)
    await fixture.caller.silent(1000)
    assert.deepEqual(fixture.story, ['speechStarted', 'cut', 'quiet', 'said Tuesday would be better (barged in)'])
    const [spoken] = fixture.all('spoke')
    assert.deepEqual(spoken?.cutBy, { reason: 'words', text: 'Tuesday' })
    assert.equal((spoken?.at ?? 0) - at, 430, 'the second guess, 200 ms after the first, had a word')
    assert.deepEqual(levels(fixture, at), ['soft', 60, 'full', 430])
    assert.equal(fixture.all('said')[0]?.heardMs, spoken?.durationMs)
  }))

test('stops at uncertain words only after enough voice', () =>
  withFixture({}, async (fixture) => {
    fixture.stt.confidence = 0.3
    fixture.say(statement)
    await fixture.caller.silent(1000)
    const at = fixture.clock.now()
    await fixture.caller.speaks('Tuesday would be better')
    await fixture.caller.silent(1000)
    const [spoken] = fixture.all('spoke')
    assert.equal(spoken?.cutBy?.reason, 'long_voice')
    assert.equal((spoken?.at ?? 0) - at, 830)
  }))

test('ducks for a cough and restores the level after 400 ms of silence', () =>
  withFixture({}, async (fixture) => {
    fixture.say(statement)
    await fixture.caller.silent(1000)
    const at = fixture.clock.now()
    await fixture.caller.speaks('', 300)
    await fixture.caller.silent(6000)
    assert.deepEqual(fixture.story, ['speechStarted', 'falseAlarm', 'spoke', 'quiet'])
    assert.deepEqual(levels(fixture, at), ['soft', 60, 'full', 700])
  }))

test('keeps the level constant through breaths between words', () =>
  withFixture({}, async (fixture) => {
    fixture.say(statement)
    await fixture.caller.silent(1000)
    const at = fixture.clock.now()
    for (let i = 0; i < 4; i++) {
      await fixture.caller.speaks('', 200)
      await fixture.caller.silent(200)
    }
    await fixture.caller.silent(5000)
    assert.deepEqual(levels(fixture, at), ['soft', 60, 'full', 1800])
  }))

test('restores the level during an endless voice without words', () =>
  withFixture({}, async (fixture) => {
    fixture.say(statement)
    await fixture.caller.silent(1000)
    const at = fixture.clock.now()
    await fixture.caller.speaks('', 6000)
    await fixture.caller.silent(1000)
    assert.deepEqual(levels(fixture, at), ['soft', 60, 'full', 2000])
    assert.deepEqual(fixture.story, ['speechStarted', 'spoke', 'quiet', 'falseAlarm'])
  }))

const notice = ({ caller }: ConversationFixture): void => caller.observer?.noticed?.(caller.track.length)

test('ducks immediately for a possible voice, without any other effect', () =>
  withFixture({}, async (fixture) => {
    fixture.say(statement)
    await fixture.caller.silent(1000)
    const at = fixture.clock.now()
    notice(fixture)
    await fixture.caller.silent(1000)
    assert.deepEqual(levels(fixture, at), ['soft', 0, 'full', 400])
    notice(fixture)
    await fixture.caller.speaks('mhm', 300)
    await fixture.caller.silent(1500)
    assert.deepEqual(levels(fixture, at).slice(4), ['soft', 1000, 'full', 1700], 'without a gap when it is one')
    fixture.conversation.interrupt()
    notice(fixture)
    await fixture.caller.silent(500)
    fixture.say(statement, { barge_in: { strategy: 'none' } })
    await fixture.caller.silent(500)
    notice(fixture)
    fixture.conversation.interrupt()
    assert.equal(levels(fixture, at).length, 8)
    assert.deepEqual(fixture.story, ['speechStarted', 'backchannel mhm', 'cut', 'quiet', 'cut', 'quiet'])
  }))

test('restores the level during a repeated noise', () =>
  withFixture({}, async (fixture) => {
    fixture.say(statement)
    await fixture.caller.silent(500)
    const at = fixture.clock.now()
    for (let noises = 0; noises < 10; noises++) {
      notice(fixture)
      await fixture.caller.silent(300)
    }
    await fixture.caller.silent(500)
    assert.deepEqual(levels(fixture, at), ['soft', 0, 'full', 2000])
    fixture.conversation.interrupt()
  }))

test('allow_after_ms: does not duck before it', () =>
  withFixture({}, async (fixture) => {
    fixture.say(statement, { barge_in: { strategy: 'words', allow_after_ms: 2000 } })
    await fixture.caller.silent(100)
    const at = fixture.clock.now()
    await fixture.caller.speaks('can you hear me at all', 2600)
    await fixture.caller.silent(1000)
    const [spoken] = fixture.all('spoke')
    assert.ok((spoken?.durationMs ?? 0) >= 2000 && (spoken?.durationMs ?? 0) < 2500)
    assert.ok(fixture.all('ducked').every((one) => one.at - at >= 2000))
  }))

test('does not duck with other strategies', () =>
  withFixture({}, async (fixture) => {
    for (const strategy of ['none', 'manual', 'minimum_characters', 'immediate'] as const) {
      fixture.say(statement, { barge_in: { strategy } })
      await fixture.caller.silent(500)
      await fixture.caller.speaks('', 500)
      await fixture.caller.silent(1000)
      fixture.conversation.interrupt()
    }
    assert.deepEqual(fixture.all('ducked'), [])
  }))

test('reports typed text as a turn and stops only at words', () =>
  withFixture({}, async (fixture) => {
    fixture.say(statement)
    await fixture.caller.silent(500)
    fixture.leg.types('ok')
    fixture.leg.types('no')
    assert.deepEqual(fixture.story, ['speechStarted', 'said ok', 'speechStarted', 'cut', 'quiet', 'said no (barged in)'])
  }))
