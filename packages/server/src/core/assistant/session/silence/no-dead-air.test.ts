import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Speech } from '#core/kernel/ports/speech.ts'
import type { OutboundHttp } from '#core/kernel/ports/outbound.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'
import { openConversation } from '#core/assistant/session/floor/open-conversation.ts'
import { readPage } from '#core/telephone/timeline/read-timeline.ts'
import { Rehearsals } from '#core/speech/voices/rehearsals.ts'
import { SpeechCache } from '#core/speech/voices/speech-cache.ts'
import type { VirtualClock } from '#test/clock/virtual-clock.ts'
import type { ScriptedLeg } from '#test/ports/scripted-leg.ts'
import { unreachable, type Input } from '#test/session/scripted-endpoint.ts'
import { ScriptedTts } from '#test/session/scripted-recogniser-and-voice.ts'
import { openSession, type SessionFixture } from '#test/session/session-fixture.ts'
import { ScriptedSpeech } from '#test/speech/scripted-speech.ts'

/** Maximum after the end of a turn. */
const maxSilenceMs = 2_500
/** Maximum if endpoint and voice fail together. */
const maxOfTwoMs = 3_000
const stepMs = 50
/** Milliseconds from the caller's last sound to the end of the turn. */
const endOfTurnMs = 600

interface Call {
  fixture: SessionFixture
  clock: VirtualClock
  caller: ScriptedLeg
  speech: ScriptedSpeech
  embedded: ScriptedTts
  provider: ScriptedTts
  /** Longest time without sound since the last turn. */
  silence: (seconds: number) => Promise<number>
  says: (text: string) => Promise<void>
  /** All texts requested from voices since. */
  said: () => string[]
  problems: () => Promise<string[]>
}

interface Inputs {
  settings?: FlowSettings
  duplex?: boolean
  /** Size of the speech cache. */
  remembersBytes?: number
  outbound?: (clock: VirtualClock) => OutboundHttp
}

const noNetwork: OutboundHttp = { request: () => Promise.reject(new Error('no network')), close: () => Promise.resolve() }

/** A started call with real speech and hearing; measures the audio sent to the phone. */
const begin = async (t: TestContext, inputs: Inputs = {}): Promise<Call> => {
  const { settings = {}, duplex = false, remembersBytes, outbound = () => noNetwork } = inputs
  let made: { speech: ScriptedSpeech; embedded: ScriptedTts; provider: ScriptedTts } | undefined
  const cache = new SpeechCache(remembersBytes === undefined ? {} : { maxBytes: remembersBytes })
  const rehearsals = new Rehearsals()
  const conversation =
    ({ exchange }: SessionFixture): SessionFixture['deps']['openConversation'] =>
    (on, observer) => {
      made ??= {
        speech: new ScriptedSpeech(exchange.clock),
        embedded: new ScriptedTts(exchange.clock),
        provider: new ScriptedTts(exchange.clock),
      }
      const { speech: scripted, embedded, provider } = made
      embedded.known = 'voice'
      const tts: Speech['tts'] = (name) => ({ embedded, azure: provider })[name as string]
      const speech: Speech = { vad: scripted.vad, stt: (name) => scripted.stt(name), tts, prepare: async () => {}, close: async () => {} }
      return openConversation({ ...on, speech, clock: exchange.clock, outbound: outbound(exchange.clock), cache, rehearsals }, observer)
    }
  const greeting: Input[] = [{ type: 'speak', text: 'Hello?' }]
  const { fixture, caller, customer } = await openSession(t, {
    settings: { language: 'en-GB', ...settings },
    duplex,
    keepsTimelines: true,
    openConversation: conversation,
    reply: ({ body }) => (body.type === 'session_start' ? greeting : []),
  })
  await fixture.seconds(10) // system phrases are synthesized in this time
  const { speech, embedded, provider } = made ?? assert.fail('no conversation')
  const { clock } = fixture.exchange
  const playedMs = (): number => caller.feeds.reduce((sum, feed) => sum + feed.playedMs(), 0)
  const silence = async (seconds: number): Promise<number> => {
    let [maxLength, since, played] = [0, clock.now(), playedMs()]
    const until = clock.now() + seconds * 1000
    while (clock.now() < until && !caller.over) {
      await clock.advance(stepMs)
      if (playedMs() > played) since = clock.now()
      played = playedMs()
      maxLength = Math.max(maxLength, clock.now() - since)
    }
    return maxLength
  }
  const says = async (text: string): Promise<void> => {
    speech.callers[0]?.says(text, 1000)
    await clock.advance(1000 + 60 + endOfTurnMs)
  }
  const problems = async (): Promise<string[]> => {
    await fixture.exchange.timelines.flush()
    const { accountId, userId } = customer
    const asking = {
      caller: { kind: 'user', accountId, userId, admin: true, scopes: ['all'], tokenId: '' } as const,
      locale: 'en_US' as const,
    }
    const { items } = await readPage(fixture.exchange.store, asking, fixture.channel.sent[0]?.sessionId ?? '', { after: 0, limit: 100 })
    return items.flatMap((entry) => (entry.kind === 'problem' ? [entry.message] : []))
  }
  const before = embedded.said.length + provider.said.length
  const said = (): string[] => [...embedded.said, ...provider.said].slice(before).map(({ text }) => text)
  return { fixture, clock, caller, speech, embedded, provider, silence, says, said, problems }
}

const answer: Input = { type: 'speak', text: 'It is ready, and you can have it today.' }
const piece = (text: string, last = false): Input => ({ type: 'speak', text, stream_id: 's', last })

/** Answers turns and previews after a delay. */
const answers = ({ clock, fixture }: Call, ms: number, what: Input[] | Error = [answer]): void => {
  const slowly = (): Promise<Input[] | Error> => new Promise((resolve) => clock.after(ms, () => resolve(what)))
  fixture.endpoints.reply = ({ body }) => (body.type.startsWith('user_speak') ? slowly() : [])
}
/** Sends stream parts at these times after the end of the turn. */
const streams = ({ clock, fixture }: Call, pieces: [number, Input][]): void => {
  for (const [ms, input] of pieces) clock.after(1000 + 60 + endOfTurnMs + ms, () => fixture.channel.acts(input))
}
const hangs = (voice: ScriptedTts, ms: number): void => {
  voice.firstMs = ms
  voice.failsAfter = 0
}

const paths: Record<string, Inputs & { play: (call: Call) => void; seconds: number; longestMs?: number }> = {
  'a slow webhook': { seconds: 9, play: (call) => answers(call, 7_000) },
  'a webhook that takes nearly 15 s': { seconds: 17, play: (call) => answers(call, 14_900) },
  'a webhook that does not answer': { seconds: 17.5, play: (call) => answers(call, 15_000, unreachable()) },
  'a webhook that answers previews slowly, and turns as well': {
    seconds: 7,
    settings: { extendedEvents: ['user_speak_preview'] },
    play: (call) => answers(call, 4_000),
  },
  'a stream that stops after a sentence, and goes on': {
    duplex: true,
    seconds: 8,
    play: (call) =>
      streams(call, [
        [200, piece('Let me look that up. ')],
        [5_000, piece('Here it is, and you can have it at once.', true)],
      ]),
  },
  'a stream that stops before there is a sentence': {
    duplex: true,
    seconds: 6.5,
    play: (call) =>
      streams(call, [
        [1_000, piece('Let ')],
        [5_500, piece('me tell you how it is.', true)],
      ]),
  },
  'a stream whose end is forgotten': { duplex: true, seconds: 5, play: (call) => streams(call, [[0, piece('You can have it today. ')]]) },
  'a provider’s voice that hangs, and fails': {
    settings: { tts: { provider: 'azure' } },
    seconds: 7,
    play: (call) => {
      answers(call, 0)
      hangs(call.provider, 5_000)
    },
  },
  'a provider’s voice that hangs while the webhook is slow': {
    settings: { tts: { provider: 'azure' } },
    seconds: 6,
    longestMs: maxOfTwoMs,
    play: (call) => {
      answers(call, 4_500)
      hangs(call.provider, 5_000)
    },
  },
  'a provider’s voice that stops in the middle': {
    settings: { tts: { provider: 'azure' } },
    seconds: 4,
    play: (call) => {
      answers(call, 0)
      call.provider.failsAfter = 2
    },
  },
  'an embedded voice that takes long': {
    seconds: 9,
    play: (call) => {
      answers(call, 0)
      call.embedded.firstMs = 6_000
    },
  },
  'a recogniser that takes long, and a slow webhook': {
    seconds: 6,
    longestMs: maxOfTwoMs,
    play: (call) => {
      answers(call, 3_000)
      call.speech.recognitionMs = 2_000
    },
  },
  'a sound that has to be fetched from a server that takes long': {
    seconds: 7,
    outbound: (clock) => ({
      request: () => new Promise((_, reject) => clock.after(5_000, () => reject(new Error('it takes too long')))),
      close: async () => {},
    }),
    play: (call) => {
      const ssml = '<speak><audio src="https://sounds.example/a.wav">It could not be played.</audio></speak>'
      answers(call, 0, [{ type: 'speak', ssml }])
    },
  },
}

for (const [name, { play, seconds, longestMs: maxMs = maxSilenceMs, ...inputs }] of Object.entries(paths))
  test(`plays sound within ${maxMs} ms after a turn: ${name}`, async (t) => {
    const call = await begin(t, inputs)
    play(call)
    await call.says('several words')
    const silentMs = await call.silence(seconds)
    assert.ok(silentMs <= maxMs, `${silentMs} ms: ${call.said().join(' | ')}`)
    await call.fixture.seconds(20)
  })

test('replaces a failed voice and reports it in the timeline', async (t) => {
  const call = await begin(t, { settings: { tts: { provider: 'azure' } } })
  answers(call, 0)
  hangs(call.provider, 500)
  await call.says('several words')
  assert.ok((await call.silence(4)) <= maxSilenceMs)
  assert.deepEqual(await call.problems(), ['tts: "azure" failed (out of order)'])
  assert.deepEqual(
    call.fixture.channel.ofType('assistant_speak').map(({ text }) => text),
    ['Hello?', answer.type === 'speak' && answer.text],
  )
})

test('asks again with cached audio, twice in a row, when no voice can say the answer', async (t) => {
  const call = await begin(t)
  answers(call, 0)
  hangs(call.embedded, 100)
  const retries = (): string[] =>
    call.fixture.channel
      .ofType('assistant_speak')
      .map(({ text }) => text ?? '')
      .slice(1)
  for (const times of [1, 2]) {
    await call.says('several words')
    assert.ok((await call.silence(3.5)) <= maxSilenceMs)
    assert.deepEqual(retries(), Array<string>(times).fill('Sorry, I did not get that. Please say it again.'))
    await call.fixture.seconds(1)
  }
  assert.ok((await call.problems()).includes('text: some of it could not be said'))
  await call.says('several words')
  await call.fixture.seconds(6)
  assert.equal(call.caller.over?.by, 'us', 'after the fallback, which is there as sound, too')
})

test('plays no filler in a stream that ends with a hang-up', async (t) => {
  const call = await begin(t, { duplex: true })
  streams(call, [
    [0, piece('Goodbye. ')],
    [100, { type: 'hangup' }],
  ])
  await call.says('several words')
  await call.fixture.seconds(8)
  assert.equal(call.caller.over?.by, 'us')
  assert.deepEqual(call.said(), ['Goodbye.'])
})

test('asks again when a stream has nothing to say', async (t) => {
  const call = await begin(t, { duplex: true })
  streams(call, [[0, piece('👍 ', true)]])
  await call.says('several words')
  const silentMs = await call.silence(4)
  assert.ok(silentMs <= maxSilenceMs, `${silentMs} ms`)
  assert.equal(call.fixture.channel.ofType('assistant_speak').at(-1)?.text, 'Sorry, I did not get that. Please say it again.')
})

test('resets the failure count after an audible answer', async (t) => {
  const call = await begin(t)
  answers(call, 0)
  for (const _ of [1, 2, 3]) {
    hangs(call.embedded, 100)
    await call.says('several words')
    await call.fixture.seconds(4)
    call.embedded.failsAfter = Infinity
    await call.says('several words')
    await call.fixture.seconds(4)
  }
  assert.ok(!call.caller.over)
})

test('asks again when an audio action cannot be played', async (t) => {
  const call = await begin(t)
  answers(call, 0, [{ type: 'audio', audio: 'UklGRg==' }])
  await call.says('several words')
  await call.fixture.seconds(4)
  assert.deepEqual(
    call.fixture.channel.ofType('assistant_speak').map(({ text }) => text),
    ['Hello?', 'Sorry, I did not get that. Please say it again.'],
  )
})

test('stays silent if the flow turns fillers off', async (t) => {
  const call = await begin(t, { settings: { fillers: { off: true } } })
  answers(call, 0)
  hangs(call.embedded, 100)
  await call.says('several words')
  assert.equal(await call.silence(20), 20_000)
  assert.ok(!call.caller.over)
})

test('hangs up when no speech at all is possible', async (t) => {
  const call = await begin(t, { remembersBytes: 0 })
  answers(call, 0)
  hangs(call.embedded, 100)
  await call.says('several words')
  const silentMs = await call.silence(3)
  assert.equal(call.caller.over?.by, 'us')
  assert.ok(silentMs <= maxSilenceMs, `${silentMs} ms`)
})

test('plays the whole goodbye despite caller speech, then hangs up', async (t) => {
  const text = 'We are sorry. This service is not available at the moment, so please call again later.'
  for (const strategy of ['immediate', 'words', 'manual', 'minimum_characters', 'none'] as const) {
    const call = await begin(t, { settings: { bargeIn: { strategy }, fallback: { text } } })
    call.fixture.endpoints.reply = unreachable
    for (const _ of [1, 2]) {
      await call.says('several words')
      await call.fixture.seconds(5)
    }
    await call.says('several words')
    await call.fixture.seconds(1)
    call.speech.callers[0]?.says('wait I want to talk to somebody please', 2000)
    const silentMs = await call.silence(30)
    assert.equal(call.caller.over?.by, 'us', strategy)
    assert.ok(silentMs <= maxSilenceMs, `${strategy}: ${silentMs} ms`)
    const goodbye = call.fixture.channel.ofType('assistant_speak').at(-1)
    assert.deepEqual([goodbye?.text, goodbye?.heard_text ?? text], [text, text], strategy)
  }
})

test('plays the whole goodbye when the endpoint is lost while the caller speaks or interrupts', async (t) => {
  const text = 'We are sorry. This service is not available at the moment, so please call again later.'
  for (const moment of ['speaks', 'interrupts', 'speaks into a protected speech'] as const) {
    const call = await begin(t, { duplex: true, settings: { fallback: { text } } })
    const long = 'We are open from nine to five on every day of the week, and on Saturdays until noon, but not on Sundays.'
    if (moment !== 'speaks') call.fixture.channel.acts({ type: 'speak', text: long, protect: moment !== 'interrupts' })
    await call.fixture.seconds(1)
    if (moment === 'interrupts') call.fixture.channel.observer.lost()
    call.speech.callers[0]?.says('wait I want to talk to somebody please', 3000)
    await call.fixture.seconds(1)
    if (moment !== 'interrupts') call.fixture.channel.observer.lost()
    await call.silence(40)
    assert.equal(call.caller.over?.by, 'us', moment)
    const goodbye = call.fixture.channel.ofType('assistant_speak').at(-1)
    assert.deepEqual([goodbye?.text, goodbye?.heard_text ?? text], [text, text], moment)
  }
})
