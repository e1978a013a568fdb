import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConversationFixture, nothingLeft, type ConversationFixtureOptions } from '#test/session/conversation-fixture.ts'

const rate = 16_000

/** Audio identified by its sample value. */
const sound = (ms: number, value = 1000) => ({ samples: new Int16Array((ms * rate) / 1000).fill(value), rate }) as const

const withFixture = async (
  options: ConversationFixtureOptions,
  play: (fixture: ConversationFixture, line: NonNullable<ConversationFixture['conversation']['sound']>) => Promise<void>,
): Promise<void> => {
  const fixture = new ConversationFixture({ media: 'audio', ...options })
  await play(fixture, fixture.conversation.sound ?? assert.fail('it has no sound'))
  assert.deepEqual(await fixture.close(), nothingLeft)
}

test('joins audio chunks into one stretch and starts another after a pause', () =>
  withFixture({}, async (fixture, line) => {
    assert.equal(line.put(sound(200), 'event'), 'begun')
    for (let i = 0; i < 9; i++) assert.equal(line.put(sound(200), 'event'), 'taken')
    await fixture.caller.silent(2600)
    const stretches = fixture.all('spoke').map(({ completed, durationMs, text }) => [completed, durationMs, text])
    assert.deepEqual(stretches, [[true, 2000, undefined]])
    assert.equal(line.put(sound(100), 'event'), 'begun')
    await fixture.caller.silent(600)
    assert.equal(line.playedMs, 2100)
    assert.deepEqual(fixture.story, ['spoke', 'quiet', 'spoke', 'quiet'])
    assert.ok(fixture.heard.every((sample) => sample === 1000))
  }))

test('keeps a short gap inside a stretch', () =>
  withFixture({}, async (fixture, line) => {
    line.put(sound(100), 'event')
    await fixture.caller.silent(300)
    line.put(sound(100), 'event')
    await fixture.caller.silent(700)
    assert.deepEqual(fixture.story, ['spoke', 'quiet'])
  }))

test('reports a mark when all audio before it was heard, immediately without audio', () =>
  withFixture({}, async (fixture, line) => {
    line.mark('nothing')
    line.put(sound(500), 'event')
    line.mark('half')
    line.put(sound(500), 'event')
    line.mark('whole')
    await fixture.caller.silent(450)
    assert.deepEqual(fixture.story, ['played nothing at 0'])
    await fixture.caller.silent(1000)
    assert.deepEqual(fixture.story, ['played nothing at 0', 'played half at 500', 'played whole at 1000', 'spoke', 'quiet'])
  }))

test('clears unheard audio with its marks and plays new audio from there', () =>
  withFixture({}, async (fixture, line) => {
    line.put(sound(5000), 'event')
    line.mark('never')
    await fixture.caller.silent(1000)
    line.clear()
    assert.equal(line.put(sound(200, 2000), 'event'), 'begun')
    await fixture.caller.silent(800)
    assert.deepEqual(fixture.story, ['cut', 'quiet', 'cleared at 1000 (audio_clear)', 'spoke', 'quiet'])
    assert.equal(line.playedMs, 1200)
    line.clear()
    await fixture.caller.silent(20)
    assert.equal(fixture.story.at(-1), 'cleared at 1200 (audio_clear)', 'also when there was nothing to clear')
  }))

test("stops at the caller's voice after allow_after_ms, without recognition", () =>
  withFixture({ settings: { bargeIn: { strategy: 'words', allow_after_ms: 1000 } } }, async (fixture, line) => {
    line.put(sound(10_000), 'event')
    await fixture.caller.silent(500)
    await fixture.caller.speaks('Stop it please', 2000)
    await fixture.caller.silent(1500)
    assert.deepEqual(fixture.story, ['speechStarted', 'cut', 'quiet', 'cleared at 1000 (barge_in)', 'falseAlarm'])
    assert.equal(fixture.all('spoke')[0]?.cutBy?.reason, 'voice')
    assert.deepEqual([fixture.stt.asked.length, fixture.stt.streams], [0, 0])
  }))

test('leaves interruptions to the endpoint with the strategy `manual`', () =>
  withFixture({ settings: { bargeIn: { strategy: 'manual' } } }, async (fixture, line) => {
    line.put(sound(3000), 'event')
    await fixture.caller.silent(500)
    await fixture.caller.speaks('Stop', 500)
    await fixture.caller.silent(2600)
    assert.deepEqual(fixture.story, ['speechStarted', 'falseAlarm', 'spoke', 'quiet'])
  }))

test("stops at words with media both, and treats audio begun in the caller's turn as its answer", () =>
  withFixture({ media: 'both' }, async (fixture, line) => {
    line.put(sound(10_000), 'event')
    await fixture.caller.silent(500)
    await fixture.caller.speaks('No I want something else')
    await fixture.caller.silent(200)
    assert.equal(line.put(sound(2000, 2000), 'event'), 'begun', 'the endpoint is sooner than our turn taking')
    await fixture.caller.silent(3500)
    const story = fixture.story.filter((one) => !one.startsWith('cleared'))
    assert.deepEqual(story, ['speechStarted', 'cut', 'quiet', 'said No I want something else (barged in)', 'spoke', 'quiet'])
    assert.equal(fixture.all('soundCleared')[0]?.reason, 'barge_in')
  }))

test('plays speech and audio in order of arrival', () =>
  withFixture({}, async (fixture, line) => {
    line.put(sound(300, 2000), 'sound 1')
    fixture.say('Hello', {}, 'speech')
    line.put(sound(300, 3000), 'sound 2')
    await fixture.caller.silent(3000)
    assert.deepEqual(
      fixture.all('spoke').map(({ eventId, completed }) => [eventId, completed]),
      [
        ['sound 1', true],
        ['speech', true],
        ['sound 2', true],
      ],
    )
  }))

test('queues at most 30 s of audio and accepts more after playback', () =>
  withFixture({}, async (fixture, line) => {
    assert.equal(line.put(sound(20_000), 'event'), 'begun')
    assert.equal(line.put(sound(20_000), 'event'), 'full')
    assert.equal(line.put(sound(20), 'event'), 'full')
    await fixture.caller.silent(1000)
    assert.equal(line.put(sound(900), 'event'), 'taken')
    line.clear()
    await fixture.caller.silent(20)
    assert.equal(line.playedMs, 1000)
  }))

test('delivers caller audio in 20 ms frames', () =>
  withFixture({}, async (fixture) => {
    await fixture.caller.speaks('anything', 400)
    await fixture.caller.silent(600)
    assert.deepEqual([...new Set(fixture.heardSound.map(({ length }) => length))], [160])
    assert.ok(fixture.heardSound.length >= 49, `${fixture.heardSound.length} frames`)
  }))

test('keeps uninterrupted audio as one stretch of any length', () =>
  withFixture({}, async (fixture, line) => {
    for (let second = 0; second < 60; second++) {
      line.put(sound(1000), 'event')
      await fixture.clock.advance(990)
    }
    await fixture.clock.advance(3000)
    assert.deepEqual(fixture.story, ['spoke', 'quiet'])
    assert.equal(fixture.all('spoke')[0]?.durationMs, 60_000)
  }))
