import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nothingLeft, ConversationFixture, type ConversationFixtureOptions } from '#test/session/conversation-fixture.ts'
import { samplesPerMs } from '#core/kernel/sound/sound-track.ts'

const first = 'This is a rather long sentence which takes its time.'
const long = `${first} And here is another one that is long as well.`

const withFixture = async (options: ConversationFixtureOptions, play: (fixture: ConversationFixture) => Promise<void>): Promise<void> => {
  const fixture = new ConversationFixture(options)
  await play(fixture)
  assert.deepEqual(await fixture.close(), nothingLeft)
}

test("reports the caller's words right after the silence that ends the turn", () =>
  withFixture({}, async (fixture) => {
    fixture.stt.snrDb = 30
    await fixture.caller.silent(500)
    await fixture.caller.speaks('I would like a table')
    await fixture.caller.silent(1000)
    assert.deepEqual(fixture.story, ['speechStarted', 'said I would like a table'])
    const [said] = fixture.all('said')
    const spokenUntil = 500 + 'I would like a table'.length * 60
    assert.equal(said?.at, spokenUntil + 500)
    assert.deepEqual(said?.timing, { speechEndedAt: spokenUntil, vadEndMs: 40, endpointMs: 500, sttFinalMs: 150 })
    assert.deepEqual([said?.confidence, said?.snrDb, said?.language], [0.9, 30, 'en'])
  }))

test('ends a turn sooner after a complete answer, later after an incomplete one, and never before its transcript', () =>
  withFixture({}, async (fixture) => {
    const waited = async (text: string): Promise<number> => {
      await fixture.caller.speaks(text)
      const end = fixture.clock.now()
      await fixture.caller.silent(2500)
      return (fixture.all('said').at(-1)?.at ?? 0) - end
    }
    assert.equal(await waited('yes please'), 300)
    assert.equal(await waited('my name is'), 1387)
    assert.equal(await waited('zero three zero'), 1000)
    fixture.conversation.configure({ type: 'configure_transcription', session_id: '', vad: { end_of_turn_silence_ms: 800 } }, 'event')
    assert.equal(await waited('I am done'), 800)
    fixture.say('', { vad: { end_of_turn_silence_ms: 150 } })
    assert.equal(await waited('I am done'), 145, 'it is asked after 105 ms and answers after 30')
    fixture.stt.answersAfterMs = 700
    assert.equal(await waited('I am done'), 805)
  }))

test('does not end the turn at a pause inside a sentence', () =>
  withFixture({}, async (fixture) => {
    await fixture.caller.speaks('I would like')
    await fixture.caller.silent(350)
    await fixture.caller.speaks('a table for two')
    await fixture.caller.silent(1000)
    assert.deepEqual(fixture.story, ['speechStarted', 'said I would like a table for two'])
    assert.equal(fixture.stt.asked.length, 2, 'what was found out in the pause is asked again')
  }))

test('joins speech that continues during recognition into the same turn', () =>
  withFixture({}, async (fixture) => {
    fixture.stt.answersAfterMs = 900
    await fixture.caller.speaks('I would like')
    await fixture.caller.silent(450)
    await fixture.caller.speaks('a table for two')
    await fixture.caller.silent(2000)
    assert.deepEqual(fixture.story, ['speechStarted', 'said I would like a table for two'])
    assert.equal(fixture.stt.asked.length, 2)
  }))

test('keeps sentences with long pauses separate with a slow recogniser', () =>
  withFixture({}, async (fixture) => {
    fixture.stt.answersAfterMs = 4000
    for (const sentence of ['I want a table', 'my name is', 'Meier', 'thank you for your help']) {
      await fixture.caller.speaks(sentence)
      await fixture.caller.silent(sentence === 'my name is' ? 800 : 1600)
    }
    await fixture.caller.silent(15_000)
    assert.deepEqual(
      fixture.all('said').map(({ text }) => text),
      ['I want a table', 'my name is Meier', 'thank you for your help'],
    )
  }))

test('reports a noise as a false alarm', () =>
  withFixture({}, async (fixture) => {
    await fixture.caller.speaks('', 300)
    assert.equal(fixture.conversation.callerSpeaks, true)
    await fixture.caller.silent(1000)
    assert.equal(fixture.conversation.callerSpeaks, false)
    assert.deepEqual(fixture.story, ['speechStarted', 'falseAlarm'])
  }))

test('splits a very long utterance into turns without losing or repeating words', () =>
  withFixture({}, async (fixture) => {
    const words = Array.from({ length: 130 }, (_, index) => `word${index}`)
    await fixture.caller.speaks(words.join(' '), 65_000)
    await fixture.caller.silent(2000)
    const said = fixture.all('said').map(({ text }) => text)
    assert.equal(said.length, 3)
    assert.equal(said.join(' '), words.join(' '))
    assert.deepEqual(fixture.story.filter((one) => !one.startsWith('said')).length, 3)
  }))

test('minimum_characters: ends the speech before the turn is over and never plays its later parts', () =>
  withFixture({}, async (fixture) => {
    fixture.say(long, { barge_in: { strategy: 'minimum_characters' } })
    await fixture.caller.silent(1600)
    await fixture.caller.speaks('stop it right now please')
    await fixture.caller.silent(1000)
    assert.deepEqual(fixture.story, ['speechStarted', 'cut', 'quiet', 'said stop it right now please (barged in)'])
    const [cut] = fixture.all('spoke')
    const [said] = fixture.all('said')
    const [started] = fixture.all('speechStarted')
    assert.ok(cut && said && started)
    assert.equal(cut.at - started.at, 170, 'told after 60 ms, asked after 200, answered 30 later')
    assert.equal(said.heardMs, cut.durationMs)
    assert.ok(said.heardText && first.startsWith(said.heardText), said.heardText)
    assert.ok(Math.abs(said.heardText.length - (cut.durationMs - 0) / 50) < 8, `${said.heardText.length} of ${cut.durationMs}`)
    assert.equal(fixture.heard.length, cut.durationMs * 8)
  }))

test('minimum_characters: is not delayed by breaths between words', () =>
  withFixture({}, async (fixture) => {
    fixture.say(long, { barge_in: { strategy: 'minimum_characters' } })
    await fixture.caller.silent(1000)
    for (const word of ['stop', 'it', 'right', 'now', 'please']) {
      await fixture.caller.speaks(word, 200)
      await fixture.caller.silent(80)
    }
    const [cut] = fixture.all('spoke')
    const [started] = fixture.all('speechStarted')
    assert.equal((cut?.at ?? 0) - (started?.at ?? 0), 170)
    await fixture.caller.silent(1000)
    assert.equal(fixture.story.at(-1), 'said stop it right now please (barged in)')
  }))

test('minimum_characters: reports too few without interrupting, and none as a false alarm', () =>
  withFixture({ settings: { bargeIn: { minimum_characters: 5 } } }, async (fixture) => {
    fixture.say(long)
    await fixture.caller.silent(500)
    await fixture.caller.speaks('ok')
    await fixture.caller.silent(800)
    await fixture.caller.speaks('', 500)
    await fixture.caller.silent(6000)
    assert.deepEqual(fixture.story, ['speechStarted', 'said ok', 'speechStarted', 'falseAlarm', 'spoke', 'quiet'])
    assert.equal(fixture.leg.feeds.length, 1)
  }))

test('immediate: suspends the speech at a voice and resumes it after a cough', () =>
  withFixture({}, async (fixture) => {
    fixture.say(long, { barge_in: { strategy: 'immediate' } })
    await fixture.caller.silent(1000)
    await fixture.caller.speaks('', 200)
    assert.equal(fixture.leg.feeds.filter(({ result }) => !result).length, 0, 'silence while it is not clear')
    await fixture.caller.silent(6000)
    assert.deepEqual(fixture.story, ['speechStarted', 'falseAlarm', 'spoke', 'quiet'])
    const total = long.length * 50 * 8
    assert.ok(fixture.heard.length <= total && fixture.heard.length > total - 8 * 60)
    assert.equal(fixture.heardInOrder, true, 'each sample once')
  }))

test('immediate: does not resume the speech after words', () =>
  withFixture({}, async (fixture) => {
    fixture.say(long, { barge_in: { strategy: 'immediate' } })
    await fixture.caller.silent(1000)
    await fixture.caller.speaks('no')
    await fixture.caller.silent(3000)
    assert.deepEqual(fixture.story, ['speechStarted', 'cut', 'quiet', 'said no (barged in)'])
    const [cut] = fixture.all('spoke')
    assert.equal(cut?.durationMs, 1000 + 60 - 100, 'stopped as soon as the detector told it')
  }))

test('immediate: resumes the speech after 1.5 s of voice without words', () =>
  withFixture({}, async (fixture) => {
    fixture.say(long, { barge_in: { strategy: 'immediate' } })
    await fixture.caller.silent(1000)
    await fixture.caller.speaks('', 5000)
    assert.equal(fixture.leg.feeds.length, 2)
    assert.equal(fixture.leg.feeds[0]?.playedMs(), 960)
    await fixture.caller.silent(5000)
    assert.deepEqual(fixture.story, ['speechStarted', 'spoke', 'quiet', 'falseAlarm'])
    assert.equal(fixture.heardInOrder, true)
  }))

test('allow_after_ms: ignores interruptions before it, and interrupts if the caller still speaks', () =>
  withFixture({}, async (fixture) => {
    const barge_in = { strategy: 'immediate', allow_after_ms: 2000 } as const
    fixture.say(long, { barge_in })
    await fixture.caller.silent(300)
    await fixture.caller.speaks('hello', 400)
    await fixture.caller.silent(700)
    assert.deepEqual(fixture.story, ['speechStarted', 'said hello'])
    await fixture.caller.speaks('can you hear me', 1500)
    await fixture.caller.silent(1000)
    assert.deepEqual(fixture.story.slice(2), ['speechStarted', 'cut', 'quiet', 'said can you hear me (barged in)'])
    assert.equal(fixture.all('spoke')[0]?.durationMs, 2000)
  }))

test('allow_after_ms: does not interrupt for words that ended before it', () =>
  withFixture({}, async (fixture) => {
    fixture.say(long, { barge_in: { strategy: 'immediate', allow_after_ms: 1000 } })
    await fixture.caller.silent(500)
    await fixture.caller.speaks('hello there', 400)
    await fixture.caller.silent(6000)
    assert.deepEqual(fixture.story, ['speechStarted', 'said hello there', 'spoke', 'quiet'])
    assert.equal(fixture.leg.feeds.length, 1)
  }))

test('none: ignores words during the speech unless they continue after its end', () =>
  withFixture({}, async (fixture) => {
    fixture.say(first, { barge_in: { strategy: 'none' } })
    await fixture.caller.silent(500)
    await fixture.caller.speaks('ignored')
    await fixture.caller.silent(700)
    await fixture.caller.speaks('but this is long enough to be heard')
    await fixture.caller.silent(1000)
    assert.deepEqual(fixture.story, ['spoke', 'quiet', 'speechStarted', 'said but this is long enough to be heard'])
    assert.equal(fixture.all('spoke')[0]?.durationMs, first.length * 50)
  }))

test('manual: reports the words and continues the speech until the endpoint interrupts it', () =>
  withFixture({}, async (fixture) => {
    fixture.say(long, { barge_in: { strategy: 'manual' } })
    fixture.say('The next one.', {}, 'next')
    await fixture.caller.silent(500)
    await fixture.caller.speaks('please stop')
    await fixture.caller.silent(600)
    assert.deepEqual(fixture.story, ['speechStarted', 'said please stop'])
    fixture.conversation.interrupt()
    assert.deepEqual(fixture.story.slice(2), ['cut', 'discarded next', 'quiet'])
    assert.equal(fixture.conversation.speaking, false)
    await fixture.caller.silent(3000)
    assert.equal(fixture.leg.feeds.length, 1)
  }))

test('delays a speech while the caller speaks; plays it after a noise, drops it after words', () =>
  withFixture({}, async (fixture) => {
    await fixture.caller.speaks('', 300)
    fixture.say('Are you there?', {}, 'one')
    await fixture.caller.silent(100)
    assert.equal(fixture.leg.feeds.length, 0)
    await fixture.caller.silent(2000)
    assert.deepEqual(fixture.story, ['speechStarted', 'falseAlarm', 'spoke', 'quiet'])
    await fixture.caller.speaks('I wanted to ask')
    fixture.say('Are you there?', {}, 'two')
    fixture.say('Whatever happens.', { barge_in: { strategy: 'none' } }, 'three')
    await fixture.caller.silent(2500)
    assert.deepEqual(fixture.story.slice(4), ['speechStarted', 'discarded two', 'said I wanted to ask', 'spoke', 'quiet'])
    assert.equal(fixture.all('spoke').at(-1)?.eventId, 'three')
  }))

test('delays speech for one turn of an endless noise, and lets words in it interrupt', () =>
  withFixture({}, async (fixture) => {
    const noise = fixture.caller.speaks('', 50_000)
    fixture.say('Are you there?', {}, 'one')
    fixture.clock.after(40_000, () => {
      fixture.say(long, {}, 'two')
      const from = fixture.caller.track.length + 1000 * samplesPerMs
      fixture.caller.words.push({ text: 'stop it', from, to: from + 500 * samplesPerMs })
    })
    await noise
    await fixture.caller.silent(1000)
    const [spoken, cut] = fixture.all('spoke')
    assert.ok(spoken && cut)
    assert.ok(spoken.completed && spoken.startedAt > 29_000 && spoken.startedAt < 30_500, `it sounds at ${spoken.startedAt}`)
    assert.ok(cut.startedAt < 40_500 && !cut.completed, 'it does not wait again')
    assert.deepEqual(fixture.story.slice(0, 2), ['speechStarted', 'falseAlarm'])
    assert.equal(fixture.story.at(-1), 'said stop it (barged in)')
  }))

test('does not talk over a caller who begins just before the first sound', () =>
  withFixture({}, async (fixture) => {
    const speaking = fixture.caller.speaks('', 300)
    fixture.say('Are you there?', {}, 'one')
    await speaking
    assert.equal(fixture.heard.length, 0)
    await fixture.caller.silent(2000)
    assert.deepEqual(fixture.story, ['speechStarted', 'falseAlarm', 'spoke', 'quiet'])
    assert.equal(fixture.all('spoke')[0]?.firstSoundMs, 0, 'its sound was ready')
    const again = fixture.caller.speaks('wait a moment')
    fixture.say('Are you there now?', {}, 'two')
    await again
    await fixture.caller.silent(1000)
    assert.deepEqual(fixture.story.slice(4), ['speechStarted', 'discarded two', 'quiet', 'said wait a moment'])
    assert.equal(fixture.leg.feeds.length, 1)
  }))

test('drops queued speech when the caller interrupts', () =>
  withFixture({}, async (fixture) => {
    fixture.say(long, {}, 'one')
    fixture.say('More.', {}, 'two')
    await fixture.caller.silent(500)
    await fixture.caller.speaks('stop it right now')
    await fixture.caller.silent(1000)
    assert.deepEqual(fixture.story, ['speechStarted', 'cut', 'discarded two', 'quiet', 'said stop it right now (barged in)'])
  }))

test('reports typed words as an immediate turn that interrupts like spoken words', () =>
  withFixture({}, async (fixture) => {
    fixture.leg.types(' Good evening ')
    assert.deepEqual(fixture.story, ['speechStarted', 'said Good evening'])
    const [said] = fixture.all('said')
    assert.deepEqual([said?.typed, said?.timing.sttFinalMs, said?.timing.speechEndedAt], [true, 0, 0])
    fixture.say(long, { barge_in: { strategy: 'minimum_characters' } })
    await fixture.caller.silent(1500)
    fixture.leg.types('no')
    assert.deepEqual(fixture.story.slice(2), ['speechStarted', 'said no'], 'too short to interrupt')
    fixture.leg.types('stop that')
    assert.deepEqual(fixture.story.slice(4), ['speechStarted', 'cut', 'quiet', 'said stop that (barged in)'])
    assert.equal(fixture.all('said').at(-1)?.heardMs, fixture.all('spoke')[0]?.heardMs)
    fixture.leg.types('   ')
    assert.equal(fixture.all('said').length, 3)
  }))

test('ignores typed words during uninterruptible speech', () =>
  withFixture({}, async (fixture) => {
    fixture.say(first, { barge_in: { strategy: 'none' } })
    await fixture.caller.silent(500)
    fixture.leg.types('ignored like spoken ones')
    await fixture.caller.silent(5000)
    fixture.say(first, { barge_in: { strategy: 'minimum_characters', allow_after_ms: 2000 } })
    await fixture.caller.silent(1000)
    fixture.leg.types('too early')
    await fixture.caller.silent(5000)
    assert.deepEqual(fixture.story, ['spoke', 'quiet', 'speechStarted', 'said too early', 'spoke', 'quiet'])
  }))

test('reports typed words immediately during a spoken turn, and the spoken ones later', () =>
  withFixture({}, async (fixture) => {
    const speaking = fixture.caller.speaks('I would like a table', 1200)
    fixture.clock.after(600, () => {
      fixture.leg.types('for two')
      fixture.say(first)
    })
    await speaking
    await fixture.caller.silent(1000)
    assert.deepEqual(fixture.story.slice(0, 3), ['speechStarted', 'speechStarted', 'said for two'])
    assert.deepEqual(fixture.story.slice(3), ['discarded event', 'quiet', 'said I would like a table'], 'nobody talks over the caller')
  }))

test('never calls the observer after close', async () => {
  for (let ms = 0; ms <= 3000; ms += 150) {
    const fixture = new ConversationFixture()
    fixture.say(long, { barge_in: { strategy: 'immediate' } })
    fixture.say('More.')
    let before = 0
    fixture.clock.after(ms, () => {
      before = fixture.told.length
      void fixture.conversation.close()
    })
    await fixture.caller.silent(500)
    await fixture.caller.speaks('no')
    await fixture.caller.silent(2500)
    assert.equal(fixture.told.length, before, `closed after ${ms} ms`)
    assert.deepEqual(await fixture.close(), nothingLeft, `closed after ${ms} ms`)
  }
})

test('switches from English to French in recognition, speech and endpointing', () =>
  withFixture({}, async (fixture) => {
    const { stt, tts, caller, conversation, language } = fixture
    stt.languages = ['en', 'fr']
    tts.languages = ['en', 'fr']
    await caller.speaks('do you speak French')
    await caller.silent(2500)
    assert.equal(language.now, 'en')
    conversation.configure({ type: 'configure_transcription', session_id: '', languages: ['fr-FR'] }, 'event')
    stt.language = 'fr'
    fixture.say('Cela coûte 12,50 €.', { tts: { language: 'fr-FR' } })
    await fixture.clock.advance(5000)
    await caller.speaks('oui je prends ça')
    await caller.silent(2500)
    assert.deepEqual(stt.expected, [['en'], ['fr-FR']])
    assert.deepEqual([tts.said[0]?.text, tts.said[0]?.language], ['Cela coûte 12 euros 50.', 'fr-FR'])
    assert.deepEqual(
      fixture.all('said').map((said) => `${said.language}: ${said.text}`),
      ['en: do you speak French', 'fr: oui je prends ça'],
    )
    assert.equal(language.now, 'fr-FR')
    assert.deepEqual(fixture.problems, [])
  }))
