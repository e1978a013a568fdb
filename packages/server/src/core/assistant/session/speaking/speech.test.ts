import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OutboundFailure, type OutboundHttp } from '#core/kernel/ports/outbound.ts'
import { SpeechCache } from '#core/speech/voices/speech-cache.ts'
import { SpeechUnavailable } from '#core/kernel/ports/speech.ts'
import { nothingLeft, ConversationFixture, type ConversationFixtureOptions } from '#test/session/conversation-fixture.ts'
import { ScriptedTts } from '#test/session/scripted-recogniser-and-voice.ts'
import { wavFile } from '#media/sound/wav.ts'

const sentence = (letter: string): string => `${letter.toUpperCase()}${letter.repeat(58)}.`
const lengthMs = 60 * 50

const withFixture = async (options: ConversationFixtureOptions, play: (fixture: ConversationFixture) => Promise<void>): Promise<void> => {
  const fixture = new ConversationFixture(options)
  await play(fixture)
  assert.deepEqual(await fixture.close(), nothingLeft)
}

const wav = (samples: number, rate: number): string => Buffer.from(wavFile(new Int16Array(samples).fill(1000), rate)).toString('base64')

test('plays a speech at its first audio and reports it at its end', () =>
  withFixture({}, async (fixture) => {
    await fixture.clock.advance(1000)
    fixture.say('Hello there.', {}, 'one')
    assert.equal(fixture.conversation.speaking, true)
    await fixture.clock.advance(5000)
    assert.equal(fixture.conversation.speaking, false)
    const [spoken] = fixture.all('spoke')
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
    assert.deepEqual(fixture.story, ['spoke', 'quiet'])
    assert.equal(fixture.heardInOrder && fixture.heard.length, 4800)
  }))

test('synthesizes utterances in order, some seconds ahead, and plays them without a gap', () =>
  withFixture({}, async (fixture) => {
    fixture.say('abcdef'.split('').map(sentence).join(' '))
    await fixture.clock.advance(1000)
    assert.equal(fixture.tts.said.length, 2)
    await fixture.clock.advance(2200)
    assert.equal(fixture.tts.said.length, 3)
    assert.deepEqual(
      fixture.tts.said.map(({ ahead }) => ahead),
      [undefined, 2880, 2999],
      'whoever makes it knows how much time there is',
    )
    await fixture.clock.advance(6 * lengthMs)
    assert.deepEqual(
      fixture.tts.said.map(({ text }) => text),
      'abcdef'.split('').map(sentence),
    )
    assert.equal(fixture.leg.feeds.length, 1)
    assert.equal(fixture.all('spoke')[0]?.durationMs, 6 * lengthMs)
    assert.equal(fixture.all('spoke')[0]?.at, 100 + 6 * lengthMs)
    assert.ok(fixture.heardInOrder)
  }))

test('plays speeches in sequence and synthesizes the next one during playback', () =>
  withFixture({}, async (fixture) => {
    fixture.say('The first one.', {}, 'one')
    fixture.say('The second one.', {}, 'two')
    await fixture.clock.advance(5000)
    assert.deepEqual(fixture.story, ['spoke', 'spoke', 'quiet'])
    const [one, two] = fixture.all('spoke')
    assert.equal(two?.startedAt, one?.at)
    assert.deepEqual([one?.eventId, two?.eventId], ['one', 'two'])
  }))

test('starts cached speech immediately on every call', async () => {
  const cache = new SpeechCache()
  await withFixture({ cache }, async (fixture) => {
    fixture.say('Good morning.')
    await fixture.clock.advance(3000)
    fixture.say('Good morning.')
    await fixture.clock.advance(3000)
    assert.equal(fixture.all('spoke')[1]?.firstSoundMs, 0)
    assert.equal(fixture.tts.said.length, 1)
  })
  await withFixture({ cache }, async (fixture) => {
    fixture.say('Good morning.')
    fixture.say('Good morning.', { ssml: '<speak><prosody rate="slow">Good morning.</prosody></speak>' })
    await fixture.clock.advance(5000)
    assert.equal(fixture.all('spoke')[0]?.firstSoundMs, 0)
    assert.equal(fixture.tts.said.length, 1, 'slower is not the same')
    const [plain, slow] = fixture.leg.feeds
    assert.equal(plain?.samples.length, slow?.samples.length)
  })
})

test('does not cache a cut speech', async () => {
  const cache = new SpeechCache()
  await withFixture({ cache }, async (fixture) => {
    fixture.say(sentence('a'))
    await fixture.clock.advance(200)
    fixture.conversation.interrupt()
    await fixture.clock.advance(200)
    assert.equal(cache.bytes, 0)
    assert.equal(fixture.tts.running, 0, 'nobody makes the rest')
  })
})

test("prefers the action's voice to the flow's, and replaces and reports a failing one", () => {
  const ttss: ConversationFixtureOptions['ttss'] = (clock) => {
    const broken = new ScriptedTts(clock)
    broken.synthesize = () => {
      throw new SpeechUnavailable('no key')
    }
    return { azure: broken }
  }
  return withFixture({ settings: { tts: { provider: 'openai' } }, ttss }, async (fixture) => {
    fixture.say('Hello.', { tts: { provider: 'azure', voice: { name: 'Katja' } } })
    fixture.say('Hello.', { tts: { provider: 'nonesuch' } })
    await fixture.clock.advance(3000)
    assert.deepEqual(fixture.story, ['spoke', 'spoke', 'quiet'])
    assert.deepEqual(fixture.problems, [
      'tts.provider: "openai" is not set up here',
      'tts.provider: "nonesuch" is not known',
      'tts.provider: "openai" is not set up here',
      'tts: "azure" failed (no key)',
    ])
  })
})

test('replaces a voice that fails mid-speech without losing words', () => {
  let cloud: ScriptedTts | undefined
  const ttss: ConversationFixtureOptions['ttss'] = (clock) => ({ openai: (cloud = new ScriptedTts(clock, { rate: 16_000 })) })
  return withFixture({ ttss }, async (fixture) => {
    assert.ok(cloud)
    cloud.failsAfter = 4
    fixture.say(`Good day to you. ${sentence('a')} ${sentence('b')}`, { tts: { provider: 'openai' } }, 'one')
    await fixture.clock.advance(20_000)
    assert.deepEqual(
      [cloud, fixture.tts].map(({ said }) => said.map(({ text }) => text)),
      [
        ['Good day to you.', sentence('a')],
        [sentence('a'), sentence('b')],
      ],
    )
    assert.deepEqual(
      fixture.leg.feeds.map(({ rate, samples }) => [rate, samples.length / (rate / 1000)]),
      [
        [16_000, 800 + 1000],
        [8000, 2 * lengthMs],
      ],
    )
    assert.deepEqual(fixture.problems, ['tts: "openai" failed (out of order)'])
    assert.equal(fixture.all('spoke')[0]?.durationMs, 1800 + 2 * lengthMs)
  })
})

test('treats a hanging voice as failed', () =>
  withFixture({}, async (fixture) => {
    fixture.tts.firstMs = Infinity
    fixture.say('Hello.')
    await fixture.clock.advance(29_000)
    assert.deepEqual(fixture.story, [])
    await fixture.clock.advance(2_000)
    assert.deepEqual(fixture.story, ['quiet'])
    assert.deepEqual(fixture.problems, ['tts: "embedded" failed (nothing came within 30000 ms)', 'text: some of it could not be said'])
  }))

test('plays the WAV file of an audio action at its own rate', () =>
  withFixture({}, async (fixture) => {
    fixture.say('First.', {}, 'one')
    fixture.conversation.play({ type: 'audio', session_id: '', audio: wav(16_000, 16_000) }, 'two')
    fixture.conversation.play({ type: 'audio', session_id: '', audio: wav(4_000, 8_000) }, 'three')
    await fixture.clock.advance(5000)
    assert.deepEqual(
      fixture.all('spoke').map(({ eventId, durationMs, text, ssml }) => [eventId, durationMs, text, ssml]),
      [
        ['one', 300, 'First.', undefined],
        ['two', 1000, undefined, undefined],
        ['three', 500, undefined, undefined],
      ],
    )
    assert.deepEqual(
      fixture.leg.feeds.map(({ rate }) => rate),
      [8000, 16_000, 8000],
    )
  }))

test('rejects an unsupported WAV file and reports the reason', () =>
  withFixture({}, async (fixture) => {
    for (const audio of ['!!!', Buffer.from('RIFF').toString('base64'), wav(100, 44_100)])
      fixture.conversation.play({ type: 'audio', session_id: '', audio }, 'event')
    await fixture.clock.advance(1000)
    assert.deepEqual(fixture.story, ['quiet'])
    assert.equal(fixture.problems.length, 3)
    assert.equal(fixture.problems[0], 'audio: is not valid base64')
    assert.match(fixture.problems[2] ?? '', /16-bit PCM, mono, 8000 or 16000 Hz; found 16-bit PCM, mono, 44100 Hz/)
    assert.equal(fixture.leg.feeds.length, 0)
  }))

test('SSML: includes pauses, volume and external audio in the speech', () => {
  const asked: string[] = []
  const outbound: OutboundHttp = {
    request: ({ url, maxBytes }) => {
      asked.push(`${url} ${maxBytes}`)
      if (!url.includes('good')) return Promise.reject(new OutboundFailure('refused', 'not allowed'))
      return Promise.resolve({ status: 200, headers: {}, body: Buffer.from(wav(800, 8000), 'base64') })
    },
    close: () => Promise.resolve(),
  }
  return withFixture({ outbound }, async (fixture) => {
    const ssml =
      '<speak>One.<break time="500ms"/><prosody volume="+6dB">Two.</prosody><mark name="here"/>' +
      '<audio src="https://example.com/good.wav">not this</audio><audio src="https://example.com/bad.wav">but this</audio></speak>'
    fixture.conversation.say({ type: 'speak', session_id: '', ssml }, 'one')
    await fixture.clock.advance(5000)
    const sound = fixture.heard
    assert.deepEqual(
      fixture.tts.said.map(({ text }) => text),
      ['One.', 'Two.', 'but this'],
    )
    assert.equal(sound.length, (200 + 500 + 200 + 100 + 400) * 8)
    assert.deepEqual(new Set(sound.slice(200 * 8, 700 * 8)), new Set([0]))
    assert.equal(sound[700 * 8], Math.round((200 * 8 + 1) * 10 ** (6 / 20)))
    assert.deepEqual(new Set(sound.slice(900 * 8, 1000 * 8)), new Set([1000]))
    assert.deepEqual(asked, ['https://example.com/good.wav 10485760', 'https://example.com/bad.wav 10485760'])
    assert.deepEqual(fixture.problems, ['audio: could not be played (not allowed)'])
    assert.equal(fixture.all('spoke')[0]?.ssml, ssml)
  })
})

test('sends SSML documents whole to voices that accept them, and the rest in parts when they fail', () => {
  let cloud: ScriptedTts | undefined
  const ttss: ConversationFixtureOptions['ttss'] = (clock) => ({ azure: (cloud = new ScriptedTts(clock, { ssml: true })) })
  const ssml = `<speak>${sentence('a')} ${sentence('b')} ${sentence('c')}</speak>`
  return withFixture({ settings: { tts: { provider: 'azure' } }, ttss }, async (fixture) => {
    assert.ok(cloud)
    fixture.conversation.say({ type: 'speak', session_id: '', ssml }, 'one')
    await fixture.clock.advance(20_000)
    assert.deepEqual([cloud.said.map(({ text }) => text), fixture.tts.said], [[ssml], []])
    cloud.failsAfter = 20
    fixture.conversation.say({ type: 'speak', session_id: '', ssml: ssml.replace('Aa', 'Xx') }, 'two')
    await fixture.clock.advance(5200)
    fixture.conversation.interrupt()
    assert.deepEqual(
      fixture.tts.said.map(({ text }) => text),
      [sentence('b'), sentence('c')],
      '5 s of it were heard: the first sentence and some of the second',
    )
    cloud.failsAfter = Infinity
    fixture.conversation.say({ type: 'speak', session_id: '', ssml }, 'three')
    await fixture.caller.silent(4000)
    await fixture.caller.speaks('stop stop stop')
    await fixture.caller.silent(1000)
    assert.equal(fixture.all('said')[0]?.heardText, sentence('a'))
  })
})

test('reports speeches above the queue limit and keeps the queued ones', () =>
  withFixture({}, async (fixture) => {
    for (let i = 0; i < 66; i++) fixture.say('Yes.', {}, `event${i}`)
    await fixture.clock.advance(60_000)
    assert.equal(fixture.all('spoke').length, 65)
    assert.deepEqual(
      fixture.all('problem').map(({ eventId, message }) => [eventId, message]),
      [['event65', 'not done: 64 others wait to be heard already']],
    )
  }))

test('stays silent after an interruption at any moment and reports a prefix as heard', async () => {
  const text = 'One moment, please. I am looking for your order. It was sent on Monday, and it will be there soon.'
  for (let ms = 0; ms <= 6000; ms += 130) {
    await withFixture({}, async (fixture) => {
      fixture.say(text)
      await fixture.clock.advance(ms)
      fixture.conversation.interrupt()
      const heard = fixture.heard.length
      assert.equal(fixture.conversation.speaking, false)
      await fixture.clock.advance(3000)
      assert.equal(fixture.heard.length, heard)
      assert.ok(fixture.heardInOrder)
      assert.equal(fixture.tts.running, 0)
      const [cut] = fixture.all('spoke')
      assert.equal(cut?.durationMs ?? 0, heard / 8, `after ${ms} ms`)
      assert.deepEqual(fixture.story, [cut ? (cut.completed ? 'spoke' : 'cut') : 'discarded event', 'quiet'], `after ${ms} ms`)
    })
  }
})

test('plays every sample once, in order, after a suspension at any moment', async () => {
  for (let ms = 10; ms <= 4000; ms += 190) {
    await withFixture({}, async (fixture) => {
      fixture.say('One moment, please. I am looking for your order. It was sent on Monday.', { barge_in: { strategy: 'immediate' } })
      await fixture.caller.silent(ms)
      await fixture.caller.speaks('', 100)
      await fixture.caller.silent(500)
      await fixture.caller.speaks('', 100)
      await fixture.caller.silent(6000)
      assert.equal(fixture.all('spoke')[0]?.completed, true)
      assert.ok(fixture.heardInOrder, `after ${ms} ms`)
      assert.equal(fixture.heard.length, 68 * 50 * 8)
    })
  }
})

test('ends the speech and discards queued ones when the leg is gone', () =>
  withFixture({}, async (fixture) => {
    fixture.say(sentence('a'))
    fixture.say('More.', {}, 'two')
    fixture.conversation.play({ type: 'audio', session_id: '', audio: wav(800, 8000) }, 'three')
    await fixture.clock.advance(1000)
    fixture.leg.hangsUp()
    await fixture.clock.advance(1000)
    assert.deepEqual(fixture.story, ['cut', 'discarded two', 'discarded three', 'quiet'])
    assert.equal(fixture.tts.running, 0)
  }))

test('validates, sets, replaces and removes background audio', async () => {
  const fixture = new ConversationFixture()
  const mix = { type: 'mix_audio', session_id: '' } as const
  fixture.conversation.background({ ...mix, audio: wav(80, 8000), volume: 0.2 }, 'one')
  assert.equal(fixture.leg.under?.volume, 0.2)
  fixture.conversation.background({ ...mix, audio: 'x' }, 'two')
  fixture.conversation.background(mix, 'three')
  assert.equal(fixture.leg.under.volume, 0.2, 'what cannot be played changes nothing')
  fixture.conversation.background({ ...mix, stop: true }, 'four')
  assert.equal(fixture.leg.under, undefined)
  fixture.conversation.background({ ...mix, audio: wav(80, 8000) }, 'five')
  await fixture.clock.advance(0)
  assert.equal(fixture.problems.length, 2)
  assert.deepEqual(await fixture.close(), nothingLeft)
  assert.equal(fixture.leg.under, undefined)
})

test('normalizes text for the voice and reports it as written', () =>
  withFixture({}, async (fixture) => {
    const text = 'AB-123 costs $12.50 on 3/5/2026.'
    fixture.say(text)
    await fixture.clock.advance(5000)
    assert.equal(fixture.tts.said[0]?.text, 'ay B one two three costs twelve dollars and fifty cents on March fifth, twenty twenty-six.')
    const [spoke] = fixture.all('spoke')
    assert.deepEqual([spoke?.text, spoke?.heardText], [text, text])
  }))

test('uses the last voice for a language that no voice speaks', () =>
  withFixture({}, async (fixture) => {
    fixture.conversation.say({ type: 'speak', session_id: '', ssml: '<speak>One. <lang xml:lang="fr-FR">Deux.</lang></speak>' }, 'one')
    fixture.say('Trois.', { tts: { language: 'fr-FR' } })
    await fixture.clock.advance(3000)
    assert.deepEqual(
      fixture.tts.said.map(({ text, language }) => `${text} ${language}`),
      ['One. en', 'Deux. en', 'Trois. en'],
    )
    assert.deepEqual(fixture.problems, [
      'tts.language: "embedded" does not speak "fr-FR"; install espeak-ng or choose a provider that does',
    ])
  }))
