import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Outside } from '#test/chance/outside.ts'
import { nothingLeft, ConversationFixture, type ConversationFixtureOptions } from '#test/session/conversation-fixture.ts'
import { ScriptedStt } from '#test/session/scripted-recogniser-and-voice.ts'
import { SpeechUnavailable } from '#core/kernel/ports/speech.ts'
import { samplesPerMs } from '#core/kernel/sound/sound-track.ts'

const long = 'This is a rather long sentence which takes its time. And here is another one that is long as well.'

const withFixture = async (options: ConversationFixtureOptions, play: (fixture: ConversationFixture) => Promise<void>): Promise<void> => {
  const fixture = new ConversationFixture(options)
  await play(fixture)
  assert.deepEqual(await fixture.close(), nothingLeft)
}

test('uses the partials of a streaming recogniser without polling it', () =>
  withFixture({}, async (fixture) => {
    fixture.say(long)
    await fixture.caller.silent(500)
    const speaking = fixture.caller.speaks('stop it right now please')
    fixture.clock.after(200, () => fixture.stt.observers[0]?.partial?.('stop'))
    await speaking
    assert.deepEqual(fixture.story, ['speechStarted', 'cut', 'quiet'])
    assert.equal(fixture.all('spoke')[0]?.at, 700)
    assert.equal(fixture.stt.asked.length, 0)
    await fixture.caller.silent(1000)
    assert.equal(fixture.all('said')[0]?.text, 'stop it right now please')
  }))

test('keeps the first words when the detector reports a voice late', () =>
  withFixture({}, async (fixture) => {
    await fixture.caller.silent(5000)
    fixture.caller.tellsLaterMs = 2500
    for (const words of ['where is my parcel', 'it should have come yesterday']) {
      await fixture.caller.speaks(words)
      await fixture.caller.silent(5000)
      assert.equal(fixture.all('said').at(-1)?.text, words)
    }
    await fixture.caller.silent(5000)
    assert.ok(fixture.caller.track.read(0).length < 2000 * samplesPerMs, 'and it is forgotten after the turn')
  }))

test('reports an interruption with its words even if the recogniser withdraws them', () =>
  withFixture({}, async (fixture) => {
    fixture.say(long)
    await fixture.caller.silent(500)
    const speaking = fixture.caller.speaks('', 500)
    fixture.clock.after(200, () => fixture.stt.observers[0]?.partial?.('hold on'))
    await speaking
    await fixture.caller.silent(1000)
    assert.deepEqual(fixture.story, ['speechStarted', 'cut', 'quiet', 'said hold on (barged in)'])
  }))

test('replaces a failing recogniser by the embedded one and retries while that is busy', () => {
  const options: ConversationFixtureOptions = { settings: { stt: { provider: 'deepgram' } } }
  return withFixture(options, async (fixture) => {
    assert.equal(fixture.stt.streams, 1)
    await fixture.clock.advance(0)
    assert.deepEqual(fixture.problems, ['stt.provider: "deepgram" is not set up here'])
    fixture.stt.failures = 3
    await fixture.caller.speaks('can you hear me')
    await fixture.caller.silent(2000)
    assert.deepEqual(fixture.story, ['speechStarted', 'said can you hear me'])
    fixture.stt.failures = 4
    await fixture.caller.speaks('and now')
    await fixture.caller.silent(2000)
    assert.deepEqual(fixture.story.slice(2), ['speechStarted', 'falseAlarm', 'lost'])
    assert.equal(fixture.conversation.callerSpeaks, false)
    fixture.say('Still here.')
    await fixture.caller.silent(2000)
    assert.deepEqual(fixture.story.slice(5), ['spoke', 'quiet'], 'what was to be said is still said')
  })
})

test('ignores a failed partial and treats a hanging recogniser as failed', () =>
  withFixture({}, async (fixture) => {
    fixture.say(long)
    await fixture.caller.silent(500)
    fixture.stt.failures = 3
    await fixture.caller.speaks('stop it right now please thank you')
    assert.equal(fixture.stt.failures, 0)
    await fixture.caller.silent(1000)
    assert.deepEqual(fixture.story, ['speechStarted', 'cut', 'quiet', 'said stop it right now please thank you (barged in)'])
    assert.deepEqual(fixture.problems, [])
    fixture.stt.answersAfterMs = Infinity
    await fixture.caller.speaks('hello')
    await fixture.caller.silent(1000)
    fixture.stt.answersAfterMs = 10
    await fixture.caller.silent(8000)
    assert.deepEqual(fixture.story.slice(4), ['speechStarted', 'said hello'])
    assert.deepEqual(fixture.problems, ['stt: "embedded" failed (nothing came within 8000 ms)'])
  }))

test("switches to the account's recogniser and rejects an unknown one", () => {
  let deepgram: ScriptedStt | undefined
  const stts: ConversationFixtureOptions['stts'] = (caller, clock) => ({ deepgram: (deepgram = new ScriptedStt(caller, clock)) })
  return withFixture({ stts }, async (other) => {
    assert.ok(deepgram)
    other.conversation.configure({ type: 'configure_transcription', session_id: '', provider: 'DEEPGRAM' }, 'one')
    assert.deepEqual([other.stt.streams, deepgram.streams], [0, 1])
    other.conversation.configure({ type: 'configure_transcription', session_id: '', provider: 'NONESUCH' }, 'two')
    assert.deepEqual([other.stt.streams, deepgram.streams], [1, 0])
    deepgram.languages = ['fr']
    other.conversation.configure({ type: 'configure_transcription', session_id: '', provider: 'DEEPGRAM' }, 'three')
    await other.clock.advance(0)
    assert.deepEqual(
      other.all('problem').map(({ eventId, message }) => [eventId, message]),
      [
        ['two', 'stt.provider: "NONESUCH" is not known'],
        ['three', 'stt: "DEEPGRAM" does not understand "en"'],
      ],
    )
  })
})

test('listens without a language if no recogniser knows it', () => {
  const languages: (readonly string[])[] = []
  const stts: ConversationFixtureOptions['stts'] = (caller, clock) => {
    const embedded = new ScriptedStt(caller, clock)
    const open = embedded.open.bind(embedded)
    embedded.open = (track, options, observer) => {
      languages.push(options.languages)
      if (options.languages.length > 0) throw new SpeechUnavailable('no such language')
      return open(track, options, observer)
    }
    return { embedded }
  }
  return withFixture({ language: 'tlh', stts }, async (fixture) => {
    await fixture.caller.speaks('nuqneH')
    await fixture.caller.silent(1000)
    assert.deepEqual(languages, [['tlh'], []])
    assert.deepEqual(fixture.problems, ['stt: "embedded" failed (no such language)'])
    assert.deepEqual(fixture.story, ['speechStarted', 'said nuqneH'])
  })
})

test('reports a lost voice detector and a leg without audio', async () => {
  await withFixture({}, async (fixture) => {
    fixture.caller.observer?.lost()
    await fixture.clock.advance(0)
    assert.deepEqual(fixture.story, ['lost'])
  })
  const outside = new Outside()
  outside.misfortune = () => true
  await withFixture({ outside }, async (fixture) => {
    fixture.say('Nobody can hear me.')
    assert.deepEqual(fixture.story, [], 'not while it is being opened or asked')
    await fixture.caller.silent(1000)
    assert.deepEqual(fixture.story, ['lost', 'quiet'])
    assert.deepEqual(fixture.problems, ['could not be played (injected: leg.feed 8000)'])
  })
})

test('tells the recogniser that an answer is expected', () =>
  withFixture({}, async (fixture) => {
    for (const expects of ['digits', 'anything'] as const) {
      fixture.conversation.expect({ expects })
      await fixture.caller.speaks('Aid')
      await fixture.caller.silent(3000)
    }
    const asked = fixture.stt.expectedAnswers
    assert.deepEqual([asked[0], asked.at(-1)], [{ phrases: [] }, undefined])
  }))

test('reads words as digits if digits are expected', () =>
  withFixture({}, async (fixture) => {
    fixture.conversation.expect({ expects: 'digits' })
    await fixture.caller.speaks('Aid')
    await fixture.caller.silent(3000)
    fixture.conversation.expect({ expects: 'anything' })
    await fixture.caller.speaks('Aid')
    await fixture.caller.silent(3000)
    assert.deepEqual(
      fixture.all('said').map(({ text }) => text),
      ['8', 'Aid'],
    )
  }))

test("narrows the embedded recogniser to the caller's language once it is certain", () => {
  const asked: (readonly string[])[] = []
  const stts: ConversationFixtureOptions['stts'] = (caller, clock) => {
    const embedded = new ScriptedStt(caller, clock)
    const open = embedded.open.bind(embedded)
    embedded.open = (track, options, observer) => {
      asked.push(options.languages)
      return open(track, options, observer)
    }
    return { embedded }
  }
  return withFixture({ stts, settings: { stt: { languages: ['de-DE', 'en-US'] } } }, async (fixture) => {
    await fixture.caller.speaks('yes')
    await fixture.caller.silent(2000)
    assert.deepEqual(asked, [['de-DE', 'en-US']], 'one word does not tell')
    await fixture.caller.speaks('I would like a table')
    await fixture.caller.silent(2000)
    assert.deepEqual(asked.slice(1), [['en-US']])
    await fixture.caller.speaks('tomorrow please at eight or nine')
    await fixture.caller.silent(2000)
    assert.equal(asked.length, 2)
    const languages = ['en-US', 'de-DE']
    fixture.conversation.configure({ type: 'configure_transcription', session_id: '', languages }, 'one')
    assert.deepEqual(asked.slice(2), [languages], 'which starts anew')
    assert.equal(fixture.all('said').length, 3)
  })
})
