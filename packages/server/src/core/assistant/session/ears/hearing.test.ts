import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Outside } from '#test/chance/outside.ts'
import { nothingLeft, ScriptedStt, TalkStage, type StageOptions } from '#test/session/talk-stage.ts'
import { SpeechUnavailable } from '#core/kernel/ports/speech.ts'

const long = 'This is a rather long sentence which takes its time. And here is another one that is long as well.'

const withStage = async (options: StageOptions, play: (stage: TalkStage) => Promise<void>): Promise<void> => {
  const stage = new TalkStage(options)
  await play(stage)
  assert.deepEqual(await stage.close(), nothingLeft)
}

test('a recogniser that listens all the time is not asked in between: its own words count', () =>
  withStage({}, async (stage) => {
    stage.say(long)
    await stage.caller.silent(500)
    const speaking = stage.caller.speaks('stop it right now please')
    stage.clock.after(200, () => stage.stt.observers[0]?.partial?.('stop'))
    await speaking
    assert.deepEqual(stage.story, ['speechStarted', 'cut', 'quiet'])
    assert.equal(stage.all('spoke')[0]?.at, 700)
    assert.equal(stage.stt.asked.length, 0)
    await stage.caller.silent(1000)
    assert.equal(stage.all('said')[0]?.text, 'stop it right now please')
  }))

test('an interruption whose words the recogniser takes back is told with them: nobody is left waiting', () =>
  withStage({}, async (stage) => {
    stage.say(long)
    await stage.caller.silent(500)
    const speaking = stage.caller.speaks('', 500)
    stage.clock.after(200, () => stage.stt.observers[0]?.partial?.('hold on'))
    await speaking
    await stage.caller.silent(1000)
    assert.deepEqual(stage.story, ['speechStarted', 'cut', 'quiet', 'said hold on (barged in)'])
  }))

test('a recogniser that fails is replaced by the embedded one, which may have too much to do for a while', () => {
  const options: StageOptions = { settings: { stt: { provider: 'deepgram' } } }
  return withStage(options, async (stage) => {
    assert.equal(stage.stt.streams, 1)
    await stage.clock.advance(0)
    assert.deepEqual(stage.problems, ['stt.provider: "deepgram" is not set up here'])
    stage.stt.failures = 3
    await stage.caller.speaks('can you hear me')
    await stage.caller.silent(2000)
    assert.deepEqual(stage.story, ['speechStarted', 'said can you hear me'])
    stage.stt.failures = 4
    await stage.caller.speaks('and now')
    await stage.caller.silent(2000)
    assert.deepEqual(stage.story.slice(2), ['speechStarted', 'falseAlarm', 'lost'])
    assert.equal(stage.talk.callerSpeaks, false)
    stage.say('Still here.')
    await stage.caller.silent(2000)
    assert.deepEqual(stage.story.slice(5), ['spoke', 'quiet'], 'what was to be said is still said')
  })
})

test('a guess that fails is no failure, and a recogniser that hangs is one', () =>
  withStage({}, async (stage) => {
    stage.say(long)
    await stage.caller.silent(500)
    stage.stt.failures = 3
    await stage.caller.speaks('stop it right now please thank you')
    assert.equal(stage.stt.failures, 0)
    await stage.caller.silent(1000)
    assert.deepEqual(stage.story, ['speechStarted', 'cut', 'quiet', 'said stop it right now please thank you (barged in)'])
    assert.deepEqual(stage.problems, [])
    stage.stt.answersAfterMs = Infinity
    await stage.caller.speaks('hello')
    await stage.caller.silent(1000)
    stage.stt.answersAfterMs = 10
    await stage.caller.silent(8000)
    assert.deepEqual(stage.story.slice(4), ['speechStarted', 'said hello'])
    assert.deepEqual(stage.problems, ['stt: "embedded" failed (nothing came within 8000 ms)'])
  }))

test('another recogniser is chosen by the customer, and an unknown one by nobody', () => {
  let deepgram: ScriptedStt | undefined
  const stts: StageOptions['stts'] = (caller, clock) => ({ deepgram: (deepgram = new ScriptedStt(caller, clock)) })
  return withStage({ stts }, async (other) => {
    assert.ok(deepgram)
    other.talk.configure({ type: 'configure_transcription', session_id: '', provider: 'DEEPGRAM' }, 'one')
    assert.deepEqual([other.stt.streams, deepgram.streams], [0, 1])
    other.talk.configure({ type: 'configure_transcription', session_id: '', provider: 'NONESUCH' }, 'two')
    assert.deepEqual([other.stt.streams, deepgram.streams], [1, 0])
    deepgram.languages = ['fr']
    other.talk.configure({ type: 'configure_transcription', session_id: '', provider: 'DEEPGRAM' }, 'three')
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

test('a language that no recogniser knows is listened to all the same', () => {
  const languages: (readonly string[])[] = []
  const stts: StageOptions['stts'] = (caller, clock) => {
    const embedded = new ScriptedStt(caller, clock)
    const open = embedded.open.bind(embedded)
    embedded.open = (track, options, observer) => {
      languages.push(options.languages)
      if (options.languages.length > 0) throw new SpeechUnavailable('no such language')
      return open(track, options, observer)
    }
    return { embedded }
  }
  return withStage({ language: 'tlh', stts }, async (stage) => {
    await stage.caller.speaks('nuqneH')
    await stage.caller.silent(1000)
    assert.deepEqual(languages, [['tlh'], []])
    assert.deepEqual(stage.problems, ['stt: "embedded" failed (no such language)'])
    assert.deepEqual(stage.story, ['speechStarted', 'said nuqneH'])
  })
})

test('an ear that is gone is told, and a leg that cannot be listened to as well', async () => {
  await withStage({}, async (stage) => {
    stage.caller.observer?.lost()
    await stage.clock.advance(0)
    assert.deepEqual(stage.story, ['lost'])
  })
  const outside = new Outside()
  outside.misfortune = () => true
  await withStage({ outside }, async (stage) => {
    stage.say('Nobody can hear me.')
    assert.deepEqual(stage.story, [], 'not while it is being opened or asked')
    await stage.caller.silent(1000)
    assert.deepEqual(stage.story, ['lost', 'quiet'])
    assert.deepEqual(stage.problems, ['could not be played (injected: leg.feed 8000)'])
  })
})
