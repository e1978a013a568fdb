import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OutboundFailure, type OutboundHttp } from '#core/kernel/ports/outbound-http.ts'
import { SpeechCache } from '#core/speech/voices/speech-cache.ts'
import { SpeechUnavailable } from '#core/kernel/ports/speech.ts'
import { nothingLeft, ScriptedTts, TalkStage, type StageOptions } from '#test/session/talk-stage.ts'
import { wavFile } from '#media/sound/wav.ts'

const sentence = (letter: string): string => `${letter.toUpperCase()}${letter.repeat(58)}.`
const lengthMs = 60 * 50

const withStage = async (options: StageOptions, play: (stage: TalkStage) => Promise<void>): Promise<void> => {
  const stage = new TalkStage(options)
  await play(stage)
  assert.deepEqual(await stage.close(), nothingLeft)
}

const wav = (samples: number, rate: number): string => Buffer.from(wavFile(new Int16Array(samples).fill(1000), rate)).toString('base64')

test('a speech sounds as soon as there is some of it, and is told when it is over', () =>
  withStage({}, async (stage) => {
    await stage.clock.advance(1000)
    stage.say('Hello there.', {}, 'one')
    assert.equal(stage.talk.speaking, true)
    await stage.clock.advance(5000)
    assert.equal(stage.talk.speaking, false)
    const [spoken] = stage.all('spoke')
    assert.deepEqual(spoken, {
      told: 'spoke',
      at: 1700,
      eventId: 'one',
      text: 'Hello there.',
      startedAt: 1100,
      durationMs: 600,
      completed: true,
      heardMs: 600,
      heardText: 'Hello there.',
      firstSoundMs: 100,
    })
    assert.deepEqual(stage.story, ['spoke', 'quiet'])
    assert.equal(stage.heardInOrder && stage.heard.length, 4800)
  }))

test('utterances are made in order, some seconds ahead of what is heard, and played without a gap', () =>
  withStage({}, async (stage) => {
    stage.say('abcdef'.split('').map(sentence).join(' '))
    await stage.clock.advance(1000)
    assert.equal(stage.tts.said.length, 2)
    await stage.clock.advance(2200)
    assert.equal(stage.tts.said.length, 3)
    assert.deepEqual(
      stage.tts.said.map(({ ahead }) => ahead),
      [undefined, 2880, 2999],
      'whoever makes it knows how much time there is',
    )
    await stage.clock.advance(6 * lengthMs)
    assert.deepEqual(
      stage.tts.said.map(({ text }) => text),
      'abcdef'.split('').map(sentence),
    )
    assert.equal(stage.leg.feeds.length, 1)
    assert.equal(stage.all('spoke')[0]?.durationMs, 6 * lengthMs)
    assert.equal(stage.all('spoke')[0]?.at, 100 + 6 * lengthMs)
    assert.ok(stage.heardInOrder)
  }))

test('speeches are played one after the other, the next is made while the one before plays', () =>
  withStage({}, async (stage) => {
    stage.say('The first one.', {}, 'one')
    stage.say('The second one.', {}, 'two')
    await stage.clock.advance(5000)
    assert.deepEqual(stage.story, ['spoke', 'spoke', 'quiet'])
    const [one, two] = stage.all('spoke')
    assert.equal(two?.startedAt, one?.at)
    assert.deepEqual([one?.eventId, two?.eventId], ['one', 'two'])
  }))

test('what was said before begins at once, on every call', async () => {
  const cache = new SpeechCache()
  await withStage({ cache }, async (stage) => {
    stage.say('Good morning.')
    await stage.clock.advance(3000)
    stage.say('Good morning.')
    await stage.clock.advance(3000)
    assert.equal(stage.all('spoke')[1]?.firstSoundMs, 0)
    assert.equal(stage.tts.said.length, 1)
  })
  await withStage({ cache }, async (stage) => {
    stage.say('Good morning.')
    stage.say('Good morning.', { ssml: '<speak><prosody rate="slow">Good morning.</prosody></speak>' })
    await stage.clock.advance(5000)
    assert.equal(stage.all('spoke')[0]?.firstSoundMs, 0)
    assert.equal(stage.tts.said.length, 1, 'slower is not the same')
    const [plain, slow] = stage.leg.feeds
    assert.equal(plain?.samples.length, slow?.samples.length)
  })
})

test('a speech that was cut is not kept as if it were whole', async () => {
  const cache = new SpeechCache()
  await withStage({ cache }, async (stage) => {
    stage.say(sentence('a'))
    await stage.clock.advance(200)
    stage.talk.interrupt()
    await stage.clock.advance(200)
    assert.equal(cache.bytes, 0)
    assert.equal(stage.tts.running, 0, 'nobody makes the rest')
  })
})

test('the voice of the action goes before that of the flow; one that fails is replaced, and the customer is told', () => {
  const ttss: StageOptions['ttss'] = (clock) => {
    const broken = new ScriptedTts(clock)
    broken.synthesize = () => {
      throw new SpeechUnavailable('no key')
    }
    return { azure: broken }
  }
  return withStage({ settings: { tts: { provider: 'openai' } }, ttss }, async (stage) => {
    stage.say('Hello.', { tts: { provider: 'azure', voice: { name: 'Katja' } } })
    stage.say('Hello.', { tts: { provider: 'nonesuch' } })
    await stage.clock.advance(3000)
    assert.deepEqual(stage.story, ['spoke', 'spoke', 'quiet'])
    assert.deepEqual(stage.problems, [
      'tts.provider: "openai" is not set up here',
      'tts.provider: "nonesuch" is not known',
      'tts.provider: "openai" is not set up here',
      'tts: "azure" failed (no key)',
    ])
  })
})

test('a voice that fails in the middle is replaced for the rest of the speech, which loses nothing', () => {
  let cloud: ScriptedTts | undefined
  const ttss: StageOptions['ttss'] = (clock) => ({ openai: (cloud = new ScriptedTts(clock, { rate: 16_000 })) })
  return withStage({ ttss }, async (stage) => {
    assert.ok(cloud)
    cloud.failsAfter = 4
    stage.say(`Good day to you. ${sentence('a')} ${sentence('b')}`, { tts: { provider: 'openai' } }, 'one')
    await stage.clock.advance(20_000)
    assert.deepEqual(
      [cloud, stage.tts].map(({ said }) => said.map(({ text }) => text)),
      [
        ['Good day to you.', sentence('a')],
        [sentence('a'), sentence('b')],
      ],
    )
    assert.deepEqual(
      stage.leg.feeds.map(({ rate, samples }) => [rate, samples.length / (rate / 1000)]),
      [
        [16_000, 800 + 1000],
        [8000, 2 * lengthMs],
      ],
    )
    assert.deepEqual(stage.problems, ['tts: "openai" failed (out of order)'])
    assert.equal(stage.all('spoke')[0]?.durationMs, 1800 + 2 * lengthMs)
  })
})

test('a voice that hangs has failed', () =>
  withStage({}, async (stage) => {
    stage.tts.firstMs = Infinity
    stage.say('Hello.')
    await stage.clock.advance(29_000)
    assert.deepEqual(stage.story, [])
    await stage.clock.advance(2_000)
    assert.deepEqual(stage.story, ['quiet'])
    assert.deepEqual(stage.problems, ['tts: "embedded" failed (nothing came within 30000 ms)', 'text: some of it could not be said'])
  }))

test('an audio action plays its WAV file at its own rate', () =>
  withStage({}, async (stage) => {
    stage.say('First.', {}, 'one')
    stage.talk.play({ type: 'audio', session_id: '', audio: wav(16_000, 16_000) }, 'two')
    stage.talk.play({ type: 'audio', session_id: '', audio: wav(4_000, 8_000) }, 'three')
    await stage.clock.advance(5000)
    assert.deepEqual(
      stage.all('spoke').map(({ eventId, durationMs, text, ssml }) => [eventId, durationMs, text, ssml]),
      [
        ['one', 300, 'First.', undefined],
        ['two', 1000, undefined, undefined],
        ['three', 500, undefined, undefined],
      ],
    )
    assert.deepEqual(
      stage.leg.feeds.map(({ rate }) => rate),
      [8000, 16_000, 8000],
    )
  }))

test('what is no such WAV file is not played, and the customer is told why', () =>
  withStage({}, async (stage) => {
    for (const audio of ['!!!', Buffer.from('RIFF').toString('base64'), wav(100, 44_100)])
      stage.talk.play({ type: 'audio', session_id: '', audio }, 'event')
    await stage.clock.advance(1000)
    assert.deepEqual(stage.story, ['quiet'])
    assert.equal(stage.problems.length, 3)
    assert.equal(stage.problems[0], 'audio: is not valid base64')
    assert.match(stage.problems[2] ?? '', /16-bit PCM, mono, 8000 or 16000 Hz; found 16-bit PCM, mono, 44100 Hz/)
    assert.equal(stage.leg.feeds.length, 0)
  }))

test('SSML: pauses, loudness and sounds from elsewhere are part of the speech', () => {
  const asked: string[] = []
  const outbound: OutboundHttp = {
    request: ({ url, maxBytes }) => {
      asked.push(`${url} ${maxBytes}`)
      if (!url.includes('good')) return Promise.reject(new OutboundFailure('refused', 'not allowed'))
      return Promise.resolve({ status: 200, headers: {}, body: Buffer.from(wav(800, 8000), 'base64') })
    },
    close: () => Promise.resolve(),
  }
  return withStage({ outbound }, async (stage) => {
    const ssml =
      '<speak>One.<break time="500ms"/><prosody volume="+6dB">Two.</prosody><mark name="here"/>' +
      '<audio src="https://example.com/good.wav">not this</audio><audio src="https://example.com/bad.wav">but this</audio></speak>'
    stage.talk.say({ type: 'speak', session_id: '', ssml }, 'one')
    await stage.clock.advance(5000)
    const sound = stage.heard
    assert.deepEqual(
      stage.tts.said.map(({ text }) => text),
      ['One.', 'Two.', 'but this'],
    )
    assert.equal(sound.length, (200 + 500 + 200 + 100 + 400) * 8)
    assert.deepEqual(new Set(sound.slice(200 * 8, 700 * 8)), new Set([0]))
    assert.equal(sound[700 * 8], Math.round((200 * 8 + 1) * 10 ** (6 / 20)))
    assert.deepEqual(new Set(sound.slice(900 * 8, 1000 * 8)), new Set([1000]))
    assert.deepEqual(asked, ['https://example.com/good.wav 10485760', 'https://example.com/bad.wav 10485760'])
    assert.deepEqual(stage.problems, ['audio: could not be played (not allowed)'])
    assert.equal(stage.all('spoke')[0]?.ssml, ssml)
  })
})

test('voices that take documents get them whole; when they fail, the rest is said piece by piece', () => {
  let cloud: ScriptedTts | undefined
  const ttss: StageOptions['ttss'] = (clock) => ({ azure: (cloud = new ScriptedTts(clock, { ssml: true })) })
  const ssml = `<speak>${sentence('a')} ${sentence('b')} ${sentence('c')}</speak>`
  return withStage({ settings: { tts: { provider: 'azure' } }, ttss }, async (stage) => {
    assert.ok(cloud)
    stage.talk.say({ type: 'speak', session_id: '', ssml }, 'one')
    await stage.clock.advance(20_000)
    assert.deepEqual([cloud.said.map(({ text }) => text), stage.tts.said], [[ssml], []])
    cloud.failsAfter = 20
    stage.talk.say({ type: 'speak', session_id: '', ssml: ssml.replace('Aa', 'Xx') }, 'two')
    await stage.clock.advance(5200)
    stage.talk.interrupt()
    assert.deepEqual(
      stage.tts.said.map(({ text }) => text),
      [sentence('b'), sentence('c')],
      '5 s of it were heard: the first sentence and some of the second',
    )
    cloud.failsAfter = Infinity
    stage.talk.say({ type: 'speak', session_id: '', ssml }, 'three')
    await stage.caller.silent(4000)
    await stage.caller.speaks('stop stop stop')
    await stage.caller.silent(1000)
    assert.equal(stage.all('said')[0]?.heardText, sentence('a'))
  })
})

test('a customer who sends more than can be said is told, and what waits stays', () =>
  withStage({}, async (stage) => {
    for (let i = 0; i < 66; i++) stage.say('Yes.', {}, `event${i}`)
    await stage.clock.advance(60_000)
    assert.equal(stage.all('spoke').length, 65)
    assert.deepEqual(
      stage.all('problem').map(({ eventId, message }) => [eventId, message]),
      [['event65', 'not done: 64 others wait to be heard already']],
    )
  }))

test('interrupted at any moment: what was heard is a prefix, and nothing sounds afterwards', async () => {
  const text = 'One moment, please. I am looking for your order. It was sent on Monday, and it will be there soon.'
  for (let ms = 0; ms <= 6000; ms += 130) {
    await withStage({}, async (stage) => {
      stage.say(text)
      await stage.clock.advance(ms)
      stage.talk.interrupt()
      const heard = stage.heard.length
      assert.equal(stage.talk.speaking, false)
      await stage.clock.advance(3000)
      assert.equal(stage.heard.length, heard)
      assert.ok(stage.heardInOrder)
      assert.equal(stage.tts.running, 0)
      const [cut] = stage.all('spoke')
      assert.equal(cut?.durationMs ?? 0, heard / 8, `after ${ms} ms`)
      assert.deepEqual(stage.story, [cut ? (cut.completed ? 'spoke' : 'cut') : 'discarded event', 'quiet'], `after ${ms} ms`)
    })
  }
})

test('suspended at any moment: every sample is heard once, in order', async () => {
  for (let ms = 10; ms <= 4000; ms += 190) {
    await withStage({}, async (stage) => {
      stage.say('One moment, please. I am looking for your order. It was sent on Monday.', { barge_in: { strategy: 'immediate' } })
      await stage.caller.silent(ms)
      await stage.caller.speaks('', 100)
      await stage.caller.silent(500)
      await stage.caller.speaks('', 100)
      await stage.caller.silent(6000)
      assert.equal(stage.all('spoke')[0]?.completed, true)
      assert.ok(stage.heardInOrder, `after ${ms} ms`)
      assert.equal(stage.heard.length, 68 * 50 * 8)
    })
  }
})

test('a leg that is gone ends the speech, and what waits is not lost without a word', () =>
  withStage({}, async (stage) => {
    stage.say(sentence('a'))
    stage.say('More.', {}, 'two')
    stage.talk.play({ type: 'audio', session_id: '', audio: wav(800, 8000) }, 'three')
    await stage.clock.advance(1000)
    stage.leg.hangsUp()
    await stage.clock.advance(1000)
    assert.deepEqual(stage.story, ['cut', 'discarded two', 'discarded three', 'quiet'])
    assert.equal(stage.tts.running, 0)
  }))

test('a background sound is checked, set, replaced and taken away', async () => {
  const stage = new TalkStage()
  const mix = { type: 'mix_audio', session_id: '' } as const
  stage.talk.background({ ...mix, audio: wav(80, 8000), volume: 0.2 }, 'one')
  assert.equal(stage.leg.under?.volume, 0.2)
  stage.talk.background({ ...mix, audio: 'x' }, 'two')
  stage.talk.background(mix, 'three')
  assert.equal(stage.leg.under.volume, 0.2, 'what cannot be played changes nothing')
  stage.talk.background({ ...mix, stop: true }, 'four')
  assert.equal(stage.leg.under, undefined)
  stage.talk.background({ ...mix, audio: wav(80, 8000) }, 'five')
  await stage.clock.advance(0)
  assert.equal(stage.problems.length, 2)
  assert.deepEqual(await stage.close(), nothingLeft)
  assert.equal(stage.leg.under, undefined)
})

test('a language that no voice speaks is said by the last of them', () =>
  withStage({}, async (stage) => {
    stage.talk.say({ type: 'speak', session_id: '', ssml: '<speak>One. <lang xml:lang="fr-FR">Deux.</lang></speak>' }, 'one')
    stage.say('Trois.', { tts: { language: 'fr-FR' } })
    await stage.clock.advance(3000)
    assert.deepEqual(
      stage.tts.said.map(({ text, language }) => `${text} ${language}`),
      ['One. en', 'Deux. en', 'Trois. en'],
    )
    assert.deepEqual(stage.problems, ['tts.language: "embedded" does not speak "fr-FR"'])
  }))
