import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'
import { openConversation } from '#core/assistant/session/floor/open-conversation.ts'
import { Rehearsals } from '#core/speech/voices/rehearsals.ts'
import { SpeechCache } from '#core/speech/voices/speech-cache.ts'
import { openSession, type SessionFixture } from '#test/session/session-fixture.ts'
import { ScriptedVad, ScriptedStt, ScriptedTts } from '#test/session/scripted-recogniser-and-voice.ts'
import type { ScriptedLeg } from '#test/ports/scripted-leg.ts'
import type { VirtualClock } from '#test/clock/virtual-clock.ts'

const audio = { websocketUrl: 'ws://example.com', media: { mode: 'audio' } } as const satisfies FlowSettings

const isOver = ({ log }: ScriptedLeg): boolean => log.some((entry) => entry.startsWith('hangUp'))

/** A session with scripted caller and voice and a real conversation. */
const openSoundSession = async (t: TestContext, settings: FlowSettings = audio) => {
  let caller: ScriptedVad | undefined
  const talking = ({ exchange }: SessionFixture) => {
    const clock: VirtualClock = exchange.clock
    const vad = new ScriptedVad(clock)
    caller = vad
    const [stt, tts] = [new ScriptedStt(vad, clock), new ScriptedTts(clock)]
    const speech = { vad: vad, stt: () => stt, tts: () => tts, prepare: async () => {}, close: async () => {} }
    const outbound = { request: () => Promise.reject(new Error('no network')), close: async () => {} }
    const shared = { speech, clock, outbound, cache: new SpeechCache(), rehearsals: new Rehearsals() }
    return (on: Parameters<SessionFixture['deps']['openConversation']>[0], observer: Parameters<typeof openConversation>[1]) =>
      openConversation({ ...on, ...shared }, observer)
  }
  const opened = await openSession(t, { settings, duplex: true, keepsTimelines: true, openConversation: talking })
  const { channel } = opened.fixture
  const sounds = (ms: number) => channel.observer.sounds({ samples: new Int16Array(ms * 16).fill(1000), rate: 16_000 })
  return { ...opened, channel, voice: caller ?? assert.fail(), sounds }
}

test('announces the media format in session_start and sends caller audio from then on', async (t) => {
  const { fixture, channel, voice } = await openSoundSession(t)
  await voice.silent(200)
  assert.deepEqual(channel.ofType('session_start')[0]?.media, { mode: 'audio', format: 'pcm16', rate: 16_000 })
  assert.ok(channel.heard.length >= 8, `${channel.heard.length} frames`)
  await fixture.rest()
})

test('reports marks, clears and interruptions with the heard duration by default', async (t) => {
  const { channel, voice, sounds } = await openSoundSession(t)
  sounds(1000)
  channel.acts({ type: 'audio_mark', name: 'first' })
  await voice.silent(1100)
  sounds(5000)
  await voice.silent(500)
  await voice.speaks('Wait', 600)
  await voice.silent(1000)
  const [played] = channel.ofType('audio_played')
  assert.deepEqual([played?.name, played?.played_ms], ['first', 1000])
  const [began] = channel.ofType('user_speech_started')
  const [cleared] = channel.ofType('audio_cleared')
  assert.equal(cleared?.reason, 'barge_in')
  assert.equal(cleared?.played_ms, began?.played_ms)
  assert.ok((began?.played_ms ?? 0) > 1400 && (began?.played_ms ?? 0) < 1700, `${began?.played_ms}`)
  assert.ok(channel.types.indexOf('user_speech_started') < channel.types.indexOf('audio_cleared'))
})

test('delays a hang-up until the audio ends and rejects later audio', async (t) => {
  const { fixture, channel, caller, voice, sounds } = await openSoundSession(t)
  sounds(2000)
  channel.acts({ type: 'hangup' })
  await voice.silent(500)
  sounds(9000)
  assert.equal(isOver(caller), false, 'it still sounds')
  await voice.silent(2500)
  await fixture.rest()
  assert.equal(isOver(caller), true)
})

test('says no system phrase, reports missing input, and hangs up after the silence timeout', async (t) => {
  const timeouts = { userInputSeconds: 5, silenceSeconds: 20 }
  const { channel, voice, fixture, caller } = await openSoundSession(t, { ...audio, timeouts, extendedEvents: ['user_input_timeout'] })
  channel.observer.sounds({ samples: new Int16Array(8000).fill(1000), rate: 8000 })
  await voice.silent(7000)
  assert.equal(channel.ofType('user_input_timeout').length, 1)
  await voice.speaks('yes', 1000)
  await fixture.seconds(19)
  assert.equal(isOver(caller), false, 'a voice is a sign of life')
  await fixture.seconds(4)
  assert.equal(isOver(caller), true)
  assert.equal(caller.feeds.length, 1, 'only the sound of the endpoint')
})

test('reports an overflow once, and rejects audio actions without media', async (t) => {
  const { channel, sounds } = await openSoundSession(t)
  for (let i = 0; i < 40; i++) sounds(1000)
  assert.deepEqual(
    channel.notes.map(([, { message }]) => message),
    ['sound: at most 30 s may wait to be heard; the rest was refused'],
  )
  const text = await openSoundSession(t, {})
  await text.fixture.rest()
  text.channel.acts({ type: 'audio_clear' })
  await text.fixture.rest()
  assert.match(text.channel.notes[0]?.[1].message ?? '', /set media/)
})
