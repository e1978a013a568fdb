import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nothingLeft, TalkStage, type StageOptions } from '#test/session/talk-stage.ts'
import { samplesPerMs } from '#core/kernel/sound/sound-track.ts'

const first = 'This is a rather long sentence which takes its time.'
const long = `${first} And here is another one that is long as well.`

const withStage = async (options: StageOptions, play: (stage: TalkStage) => Promise<void>): Promise<void> => {
  const stage = new TalkStage(options)
  await play(stage)
  assert.deepEqual(await stage.close(), nothingLeft)
}

test('what the caller says is told right after the silence that ends the turn', () =>
  withStage({}, async (stage) => {
    await stage.caller.silent(500)
    await stage.caller.speaks('I would like a table')
    await stage.caller.silent(1000)
    assert.deepEqual(stage.story, ['speechStarted', 'said I would like a table'])
    const [said] = stage.all('said')
    const spokenUntil = 500 + 'I would like a table'.length * 60
    assert.equal(said?.at, spokenUntil + 500)
    assert.deepEqual(said?.timing, { speechEndedAt: spokenUntil, vadEndMs: 40, endpointMs: 500, sttFinalMs: 230 })
    assert.deepEqual([said?.confidence, said?.language], [0.9, 'en'])
  }))

test('a turn is over sooner after a whole answer, later when something is missing, and never before its words are known', () =>
  withStage({}, async (stage) => {
    const waited = async (text: string): Promise<number> => {
      await stage.caller.speaks(text)
      const end = stage.clock.now()
      await stage.caller.silent(2500)
      return (stage.all('said').at(-1)?.at ?? 0) - end
    }
    assert.equal(await waited('yes please'), 300)
    assert.equal(await waited('my name is'), 1000)
    stage.talk.configure({ type: 'configure_transcription', session_id: '', vad: { end_of_turn_silence_ms: 800 } }, 'event')
    assert.equal(await waited('I am done'), 800)
    stage.say('', { vad: { end_of_turn_silence_ms: 150 } })
    assert.equal(await waited('I am done'), 180, 'it is asked after 150 ms and answers after 30')
    stage.stt.answersAfterMs = 700
    assert.equal(await waited('I am done'), 850)
  }))

test('a pause in the middle of a sentence does not end the turn', () =>
  withStage({}, async (stage) => {
    await stage.caller.speaks('I would like')
    await stage.caller.silent(350)
    await stage.caller.speaks('a table for two')
    await stage.caller.silent(1000)
    assert.deepEqual(stage.story, ['speechStarted', 'said I would like a table for two'])
    assert.equal(stage.stt.asked.length, 2, 'what was found out in the pause is asked again')
  }))

test('speech that goes on while its words are looked for belongs to the same turn', () =>
  withStage({}, async (stage) => {
    stage.stt.answersAfterMs = 900
    await stage.caller.speaks('I would like')
    await stage.caller.silent(450)
    await stage.caller.speaks('a table for two')
    await stage.caller.silent(2000)
    assert.deepEqual(stage.story, ['speechStarted', 'said I would like a table for two'])
    assert.equal(stage.stt.asked.length, 1)
  }))

test('sentences with long pauses stay apart, however slow the recogniser is', () =>
  withStage({}, async (stage) => {
    stage.stt.answersAfterMs = 4000
    for (const sentence of ['I want a table', 'my name is', 'Meier', 'thank you for your help']) {
      await stage.caller.speaks(sentence)
      await stage.caller.silent(sentence === 'my name is' ? 800 : 1600)
    }
    await stage.caller.silent(15_000)
    assert.deepEqual(
      stage.all('said').map(({ text }) => text),
      ['I want a table', 'my name is Meier', 'thank you for your help'],
    )
  }))

test('a noise is a false alarm', () =>
  withStage({}, async (stage) => {
    await stage.caller.speaks('', 300)
    assert.equal(stage.talk.callerSpeaks, true)
    await stage.caller.silent(1000)
    assert.equal(stage.talk.callerSpeaks, false)
    assert.deepEqual(stage.story, ['speechStarted', 'falseAlarm'])
  }))

test('whoever speaks for too long is cut into turns, and no word is lost or told twice', () =>
  withStage({}, async (stage) => {
    const words = Array.from({ length: 130 }, (_, index) => `word${index}`)
    await stage.caller.speaks(words.join(' '), 65_000)
    await stage.caller.silent(2000)
    const said = stage.all('said').map(({ text }) => text)
    assert.equal(said.length, 3)
    assert.equal(said.join(' '), words.join(' '))
    assert.deepEqual(stage.story.filter((one) => !one.startsWith('said')).length, 3)
  }))

test('minimum_characters: words end the speech before the turn is over; its late parts are never heard', () =>
  withStage({}, async (stage) => {
    stage.say(long)
    await stage.caller.silent(1600)
    await stage.caller.speaks('stop it right now please')
    await stage.caller.silent(1000)
    assert.deepEqual(stage.story, ['speechStarted', 'cut', 'quiet', 'said stop it right now please (barged in)'])
    const [cut] = stage.all('spoke')
    const [said] = stage.all('said')
    const [started] = stage.all('speechStarted')
    assert.ok(cut && said && started)
    assert.equal(cut.at - started.at, 330, 'asked after 300 ms, answered after 30')
    assert.equal(said.heardMs, cut.durationMs)
    assert.ok(said.heardText && first.startsWith(said.heardText), said.heardText)
    assert.ok(Math.abs(said.heardText.length - (cut.durationMs - 0) / 50) < 8, `${said.heardText.length} of ${cut.durationMs}`)
    assert.equal(stage.heard.length, cut.durationMs * 8)
  }))

test('minimum_characters: breaths between the words do not delay it', () =>
  withStage({}, async (stage) => {
    stage.say(long)
    await stage.caller.silent(1000)
    for (const word of ['stop', 'it', 'right', 'now', 'please']) {
      await stage.caller.speaks(word, 200)
      await stage.caller.silent(80)
    }
    const [cut] = stage.all('spoke')
    const [started] = stage.all('speechStarted')
    assert.equal((cut?.at ?? 0) - (started?.at ?? 0), 330)
    await stage.caller.silent(1000)
    assert.equal(stage.story.at(-1), 'said stop it right now please (barged in)')
  }))

test('minimum_characters: too few are told without an interruption, and none at all are nothing', () =>
  withStage({ settings: { bargeIn: { minimum_characters: 5 } } }, async (stage) => {
    stage.say(long)
    await stage.caller.silent(500)
    await stage.caller.speaks('ok')
    await stage.caller.silent(800)
    await stage.caller.speaks('', 500)
    await stage.caller.silent(6000)
    assert.deepEqual(stage.story, ['speechStarted', 'said ok', 'speechStarted', 'falseAlarm', 'spoke', 'quiet'])
    assert.equal(stage.leg.feeds.length, 1)
  }))

test('immediate: the voice alone stops the speech; a cough lets it go on where it stopped', () =>
  withStage({}, async (stage) => {
    stage.say(long, { barge_in: { strategy: 'immediate' } })
    await stage.caller.silent(1000)
    await stage.caller.speaks('', 200)
    assert.equal(stage.leg.feeds.filter(({ result }) => !result).length, 0, 'silence while it is not clear')
    await stage.caller.silent(6000)
    assert.deepEqual(stage.story, ['speechStarted', 'falseAlarm', 'spoke', 'quiet'])
    const total = long.length * 50 * 8
    assert.ok(stage.heard.length <= total && stage.heard.length > total - 8 * 60)
    assert.equal(stage.heardInOrder, true, 'each sample once')
  }))

test('immediate: with words the speech does not come back', () =>
  withStage({}, async (stage) => {
    stage.say(long, { barge_in: { strategy: 'immediate' } })
    await stage.caller.silent(1000)
    await stage.caller.speaks('no')
    await stage.caller.silent(3000)
    assert.deepEqual(stage.story, ['speechStarted', 'cut', 'quiet', 'said no (barged in)'])
    const [cut] = stage.all('spoke')
    assert.equal(cut?.durationMs, 1000 + 60 - 100, 'stopped as soon as the detector told it')
  }))

test('immediate: a voice without words for 1.5 s does not keep the assistant silent', () =>
  withStage({}, async (stage) => {
    stage.say(long, { barge_in: { strategy: 'immediate' } })
    await stage.caller.silent(1000)
    await stage.caller.speaks('', 5000)
    assert.equal(stage.leg.feeds.length, 2)
    assert.equal(stage.leg.feeds[0]?.playedMs(), 960)
    await stage.caller.silent(5000)
    assert.deepEqual(stage.story, ['speechStarted', 'spoke', 'quiet', 'falseAlarm'])
    assert.equal(stage.heardInOrder, true)
  }))

test('allow_after_ms: before, nothing interrupts; who still speaks then does', () =>
  withStage({}, async (stage) => {
    const barge_in = { strategy: 'immediate', allow_after_ms: 2000 } as const
    stage.say(long, { barge_in })
    await stage.caller.silent(300)
    await stage.caller.speaks('hello', 400)
    await stage.caller.silent(700)
    assert.deepEqual(stage.story, ['speechStarted', 'said hello'])
    await stage.caller.speaks('can you hear me', 1500)
    await stage.caller.silent(1000)
    assert.deepEqual(stage.story.slice(2), ['speechStarted', 'cut', 'quiet', 'said can you hear me (barged in)'])
    assert.equal(stage.all('spoke')[0]?.durationMs, 2000)
  }))

test('allow_after_ms: what was said before does not interrupt afterwards', () =>
  withStage({}, async (stage) => {
    stage.say(long, { barge_in: { strategy: 'immediate', allow_after_ms: 1000 } })
    await stage.caller.silent(500)
    await stage.caller.speaks('hello there', 400)
    await stage.caller.silent(6000)
    assert.deepEqual(stage.story, ['speechStarted', 'said hello there', 'spoke', 'quiet'])
    assert.equal(stage.leg.feeds.length, 1)
  }))

test('none: what is said meanwhile is ignored, unless it goes on after the end', () =>
  withStage({}, async (stage) => {
    stage.say(first, { barge_in: { strategy: 'none' } })
    await stage.caller.silent(500)
    await stage.caller.speaks('ignored')
    await stage.caller.silent(700)
    await stage.caller.speaks('but this is long enough to be heard')
    await stage.caller.silent(1000)
    assert.deepEqual(stage.story, ['spoke', 'quiet', 'speechStarted', 'said but this is long enough to be heard'])
    assert.equal(stage.all('spoke')[0]?.durationMs, first.length * 50)
  }))

test('manual: the words are told, the speech goes on until it is interrupted on purpose', () =>
  withStage({}, async (stage) => {
    stage.say(long, { barge_in: { strategy: 'manual' } })
    stage.say('The next one.', {}, 'next')
    await stage.caller.silent(500)
    await stage.caller.speaks('please stop')
    await stage.caller.silent(600)
    assert.deepEqual(stage.story, ['speechStarted', 'said please stop'])
    stage.talk.interrupt()
    assert.deepEqual(stage.story.slice(2), ['cut', 'discarded next', 'quiet'])
    assert.equal(stage.talk.speaking, false)
    await stage.caller.silent(3000)
    assert.equal(stage.leg.feeds.length, 1)
  }))

test('a speech that comes while the caller speaks waits: after a noise it is spoken, after words it is not', () =>
  withStage({}, async (stage) => {
    await stage.caller.speaks('', 300)
    stage.say('Are you there?', {}, 'one')
    await stage.caller.silent(100)
    assert.equal(stage.leg.feeds.length, 0)
    await stage.caller.silent(2000)
    assert.deepEqual(stage.story, ['speechStarted', 'falseAlarm', 'spoke', 'quiet'])
    await stage.caller.speaks('I wanted to ask')
    stage.say('Are you there?', {}, 'two')
    stage.say('Whatever happens.', { barge_in: { strategy: 'none' } }, 'three')
    await stage.caller.silent(2500)
    assert.deepEqual(stage.story.slice(4), ['speechStarted', 'discarded two', 'said I wanted to ask', 'spoke', 'quiet'])
    assert.equal(stage.all('spoke').at(-1)?.eventId, 'three')
  }))

test('a noise that does not end keeps the assistant silent for one turn; words in it interrupt all the same', () =>
  withStage({}, async (stage) => {
    const noise = stage.caller.speaks('', 50_000)
    stage.say('Are you there?', {}, 'one')
    stage.clock.after(40_000, () => {
      stage.say(long, {}, 'two')
      const from = stage.caller.track.length + 1000 * samplesPerMs
      stage.caller.words.push({ text: 'stop it', from, to: from + 500 * samplesPerMs })
    })
    await noise
    await stage.caller.silent(1000)
    const [spoken, cut] = stage.all('spoke')
    assert.ok(spoken && cut)
    assert.ok(spoken.completed && spoken.startedAt > 29_000 && spoken.startedAt < 30_500, `it sounds at ${spoken.startedAt}`)
    assert.ok(cut.startedAt < 40_500 && !cut.completed, 'it does not wait again')
    assert.deepEqual(stage.story.slice(0, 2), ['speechStarted', 'falseAlarm'])
    assert.equal(stage.story.at(-1), 'said stop it (barged in)')
  }))

test('a caller who begins just before the first sound is not talked over', () =>
  withStage({}, async (stage) => {
    const speaking = stage.caller.speaks('', 300)
    stage.say('Are you there?', {}, 'one')
    await speaking
    assert.equal(stage.heard.length, 0)
    await stage.caller.silent(2000)
    assert.deepEqual(stage.story, ['speechStarted', 'falseAlarm', 'spoke', 'quiet'])
    assert.equal(stage.all('spoke')[0]?.firstSoundMs, 0, 'its sound was ready')
    const again = stage.caller.speaks('wait a moment')
    stage.say('Are you there now?', {}, 'two')
    await again
    await stage.caller.silent(1000)
    assert.deepEqual(stage.story.slice(4), ['speechStarted', 'discarded two', 'quiet', 'said wait a moment'])
    assert.equal(stage.leg.feeds.length, 1)
  }))

test('what waits behind a speech is dropped with it when the caller interrupts', () =>
  withStage({}, async (stage) => {
    stage.say(long, {}, 'one')
    stage.say('More.', {}, 'two')
    await stage.caller.silent(500)
    await stage.caller.speaks('stop it right now')
    await stage.caller.silent(1000)
    assert.deepEqual(stage.story, ['speechStarted', 'cut', 'discarded two', 'quiet', 'said stop it right now (barged in)'])
  }))

test('typed words are a turn at once: they interrupt as spoken ones do, and what was said is told', () =>
  withStage({}, async (stage) => {
    stage.leg.types(' Good evening ')
    assert.deepEqual(stage.story, ['speechStarted', 'said Good evening'])
    const [said] = stage.all('said')
    assert.deepEqual([said?.typed, said?.timing.sttFinalMs, said?.timing.speechEndedAt], [true, 0, 0])
    stage.say(long)
    await stage.caller.silent(1500)
    stage.leg.types('no')
    assert.deepEqual(stage.story.slice(2), ['speechStarted', 'said no'], 'too short to interrupt')
    stage.leg.types('stop that')
    assert.deepEqual(stage.story.slice(4), ['speechStarted', 'cut', 'quiet', 'said stop that (barged in)'])
    assert.equal(stage.all('said').at(-1)?.heardMs, stage.all('spoke')[0]?.heardMs)
    stage.leg.types('   ')
    assert.equal(stage.all('said').length, 3)
  }))

test('typed words under a speech that nobody may interrupt', () =>
  withStage({}, async (stage) => {
    stage.say(first, { barge_in: { strategy: 'none' } })
    await stage.caller.silent(500)
    stage.leg.types('ignored like spoken ones')
    await stage.caller.silent(5000)
    stage.say(first, { barge_in: { strategy: 'minimum_characters', allow_after_ms: 2000 } })
    await stage.caller.silent(1000)
    stage.leg.types('too early')
    await stage.caller.silent(5000)
    assert.deepEqual(stage.story, ['spoke', 'quiet', 'speechStarted', 'said too early', 'spoke', 'quiet'])
  }))

test('typed words in the middle of a spoken turn are told at once, and the spoken ones later', () =>
  withStage({}, async (stage) => {
    const speaking = stage.caller.speaks('I would like a table', 1200)
    stage.clock.after(600, () => {
      stage.leg.types('for two')
      stage.say(first)
    })
    await speaking
    await stage.caller.silent(1000)
    assert.deepEqual(stage.story.slice(0, 3), ['speechStarted', 'speechStarted', 'said for two'])
    assert.deepEqual(stage.story.slice(3), ['discarded event', 'quiet', 'said I would like a table'], 'nobody talks over the caller')
  }))

test('after close nothing is told, wherever it happens', async () => {
  for (let ms = 0; ms <= 3000; ms += 150) {
    const stage = new TalkStage()
    stage.say(long, { barge_in: { strategy: 'immediate' } })
    stage.say('More.')
    let before = 0
    stage.clock.after(ms, () => {
      before = stage.told.length
      void stage.talk.close()
    })
    await stage.caller.silent(500)
    await stage.caller.speaks('no')
    await stage.caller.silent(2500)
    assert.equal(stage.told.length, before, `closed after ${ms} ms`)
    assert.deepEqual(await stage.close(), nothingLeft, `closed after ${ms} ms`)
  }
})
