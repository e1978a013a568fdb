import assert from 'node:assert/strict'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { realClock } from '#adapters/clock/real-clock.ts'
import { openVadPool } from '#adapters/speech/vad/vad-pool.ts'
import { toneMessages, toneSound } from '#adapters/speech/tones/tone-sound.ts'
import { toneStt, toneTts } from '#adapters/speech/tones/tone-speech.ts'
import { readSettings } from '#settings/config.ts'
import type { Speech } from '#core/kernel/ports/speech.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant/flows.ts'
import type { Audio, Leg } from '#core/kernel/ports/telephony.ts'
import { openConversation } from '#core/assistant/session/floor/open-conversation.ts'
import type { Said, Spoken, Conversation, ConversationObserver } from '#core/assistant/session/conversation/conversation.ts'
import { SessionLanguage } from '#core/assistant/session/language/session-language.ts'
import { Rehearsals } from '#core/speech/voices/rehearsals.ts'
import { SpeechCache } from '#core/speech/voices/speech-cache.ts'
import type { Media, MediaStream } from '#media/engine.ts'
import { G711 } from '#media/codec/g711.ts'
import { resampleSound } from '#media/codec/resample.ts'
import { openSpeech } from '#wiring/speech.ts'
import { embeddedModels } from '#test/speech/embedded-models.ts'
import { call, startTestMedia } from '#test/phones/media-call.ts'
import { needs } from '#test/peers/debian.ts'
import { recordedSpeech } from '#test/speech/recorded-speech.ts'
import { readWav } from '#test/sound/wav.ts'
import { payloadTypes, type RtpPhone } from '#test/phones/rtp-phone.ts'

const frame = 160

/** A phone that says what it is given, in packets of 20 ms. */
class TalkingPhone {
  readonly #phone: RtpPhone
  #sound = new Int16Array()
  #at = 0
  #finished: (() => void) | undefined
  readonly #codec = new G711('PCMA')

  constructor(phone: RtpPhone, port: number) {
    this.#phone = phone
    phone.talk(port)
    phone.sendInstead(() => this.#next())
  }

  /** Resolves when the last of it is sent. */
  says(sound: Int16Array): Promise<void> {
    this.#sound = Int16Array.from(sound)
    this.#at = 0
    return new Promise((resolve) => (this.#finished = resolve))
  }

  /** At least the beginning of something. Only as much as that takes is looked at: longer, and this thread would be too late to speak. */
  hears(text: string): Promise<void> {
    const lengthMs = 1.5 * (toneSound(text).length / 8)
    const heard = (): boolean => toneMessages(this.#phone.recent(lengthMs)).some((message) => message.text.startsWith(text))
    return this.#phone.until(heard, `never heard "${text}"`)
  }

  hearsAnything(): Promise<void> {
    return this.#phone.until(() => this.#phone.recent(200).some((sample) => Math.abs(sample) > 1000), 'it is silent', 60_000)
  }

  isSilent(): Promise<void> {
    return this.#phone.until(() => this.#phone.recent(200).every((sample) => Math.abs(sample) < 50), 'it is not silent')
  }

  #next(): { payloadType: number; bytes: Uint8Array } | undefined {
    if (this.#at >= this.#sound.length) {
      this.#finished?.()
      this.#finished = undefined
      return undefined
    }
    const samples = new Int16Array(frame)
    samples.set(this.#sound.subarray(this.#at, this.#at + frame))
    this.#at += frame
    const bytes = new Uint8Array(frame)
    this.#codec.encode(samples, bytes, 0)
    return { payloadType: payloadTypes.PCMA, bytes }
  }
}

/** As much of a leg as a conversation needs. */
const legOf = (stream: MediaStream): Leg => {
  const audio: Pick<Audio, 'feed' | 'listen' | 'background' | 'duck'> = {
    feed: (rate) => stream.feed(rate),
    listen: () => stream.listen(),
    background: () => {},
    duck: (value) => stream.duck(value),
  }
  const leg: Pick<Leg, 'audio' | 'observe'> = { audio: audio as Audio, observe: () => () => {} }
  return leg as Leg
}

type Told =
  | { told: 'said'; said: Said }
  | { told: 'spoke'; spoken: Spoken }
  | { told: 'backchannel'; what: string }
  | { told: 'speechStarted' | 'falseAlarm' | 'discarded' | 'quiet' | 'beep' | 'problem' | 'lost'; what?: string }

/** Everything that is told, and the first of some kinds that was not waited for yet. */
const listener = () => {
  const notified: Told[] = []
  let look: () => void = () => {}
  const note = (one: Told): void => {
    notified.push(one)
    look()
  }
  const observer: ConversationObserver = {
    speechStarted: () => note({ told: 'speechStarted' }),
    said: (said) => note({ told: 'said', said }),
    falseAlarm: () => note({ told: 'falseAlarm' }),
    backchannel: (text) => note({ told: 'backchannel', what: text }),
    spoke: (spoken) => note({ told: 'spoke', spoken }),
    discarded: () => note({ told: 'discarded' }),
    quiet: () => note({ told: 'quiet' }),
    problem: ({ message }) => note({ told: 'problem', what: message }),
    beep: () => note({ told: 'beep' }),
    lost: (error) => note({ told: 'lost', what: error.message }),
  }
  const next = async <T extends Told['told']>(...kinds: T[]): Promise<Extract<Told, { told: T }>> => {
    for (;;) {
      const place = notified.findIndex((one) => kinds.some((kind) => kind === one.told))
      if (place >= 0) return notified.splice(0, place + 1).at(-1) as Extract<Told, { told: T }>
      await new Promise<void>((resolve) => (look = resolve))
    }
  }
  const faults = (): Told[] => notified.filter((one) => one.told === 'problem' || one.told === 'lost')
  return { observer, next, faults }
}

const openStage = async (t: TestContext, media: Media, speech: Speech, settings: FlowSettings) => {
  const { phone, stream } = await call(t, media)
  const { observer, next, faults } = listener()
  const outbound = { request: () => assert.fail('nothing is fetched'), close: () => Promise.resolve() }
  const flow = { id: 'flow', name: 'flow', settings }
  const parts = {
    leg: legOf(stream),
    speech,
    clock: realClock(),
    outbound,
    cache: new SpeechCache(),
    rehearsals: new Rehearsals(),
    flow,
    language: new SessionLanguage('en-US'),
  }
  const conversation: Conversation = openConversation(parts, observer)
  t.after(() => conversation.close())
  const say = (text: string): void => conversation.say({ type: 'speak', session_id: '', text }, 'event')
  return { conversation, say, phone: new TalkingPhone(phone, stream.localPort), next, faults }
}

test('a caller and an assistant understand each other over real media, and the caller interrupts', async (t) => {
  const vadPool = openVadPool({ detector: 'energy', onDied: (error) => assert.fail(error) })
  t.after(() => vadPool.close())
  const speech: Speech = { vad: vadPool, stt: () => toneStt, tts: () => toneTts, prepare: () => {}, close: () => Promise.resolve() }
  const { conversation, say, phone, next, faults } = await openStage(t, startTestMedia(t), speech, { bargeIn: { strategy: 'immediate' } })

  say('Hello')
  await phone.hears('Hello')
  const greeting = await next('spoke')
  assert.deepEqual([greeting.spoken.completed, greeting.spoken.text], [true, 'Hello'])
  assert.equal(greeting.spoken.durationMs, toneSound('Hello').length / 8)

  // A busy machine sends packets too late, and their tones are lost: an utterance that was not recognised is said again.
  let turn: Awaited<ReturnType<typeof next<'said' | 'falseAlarm'>>>
  do {
    await phone.says(toneSound('good day'))
    turn = await next('said', 'falseAlarm')
  } while (turn.told !== 'said' || turn.said.confidence !== undamaged)
  const { said } = turn
  assert.deepEqual([said.text, said.bargedIn], ['good day', false])
  assert.ok(said.timing.endpointMs >= 300 && said.timing.endpointMs <= 2000)

  let cut: Awaited<ReturnType<typeof next<'spoke'>>>
  let interruption: typeof turn
  do {
    say('This is a very long sentence that nobody wants to hear, not even as tones, to its end.')
    await phone.hears('This is')
    const saying = phone.says(toneSound('stop'))
    await phone.isSilent()
    await saying
    cut = await next('spoke')
    assert.equal(cut.spoken.completed, false)
    interruption = await next('said', 'falseAlarm')
  } while (interruption.told !== 'said')
  assert.equal(interruption.said.bargedIn, true)
  if (interruption.said.confidence === undamaged) assert.equal(interruption.said.text, 'stop')
  assert.equal(interruption.said.heardMs, cut.spoken.durationMs)
  assert.ok(interruption.said.heardText && 'This is a very long sentence that'.startsWith(interruption.said.heardText))

  await conversation.close()
  assert.deepEqual(faults(), [])
})

/** How sure the pair of tones is of what came to its end with a good check byte. */
const undamaged = 1

const { skip } = await embeddedModels('vad', 'stt-en', 'tts-en')

test('with the models: person or machine, and a caller who speaks over the assistant', { concurrency: true, skip }, async (t) => {
  if (!(await needs(t, recordedSpeech))) return
  const media = startTestMedia(t)
  const speech = await openSpeech({ settings: readSettings({ OFFHOOK_SPEECH: 'embedded' }), log: () => {} })
  t.after(() => speech.close())
  speech.prepare(['en-US'])
  const silence = (ms: number): Int16Array => new Int16Array(ms * 8)
  const answered = async (...greeting: Int16Array[]) => {
    const stage = await openStage(t, media, speech, {})
    const who = stage.conversation.detectMachine()
    await stage.phone.says(joined(silence(700), ...greeting))
    return { ...stage, who: await who }
  }

  /** Packets that come too late make pauses that were not spoken: then it is tried again. */
  const isTakenFor = async (wanted: string, ...greeting: Int16Array[]) => {
    let stage = await answered(...greeting)
    for (let tries = 1; tries < 4 && stage.who !== wanted; tries++) stage = await answered(...greeting)
    assert.equal(stage.who, wanted)
    return stage
  }

  void t.test('an announcement is a machine, and then comes its tone', async () => {
    const announcement = [await recording('vm-nobodyavail'), silence(300), await recording('beep'), silence(200)]
    await (await isTakenFor('machine', ...announcement)).next('beep')
  })

  void t.test('a callee who says a word and waits is a person', async () => {
    await isTakenFor('human', await recording('vm-goodbye'), silence(1500))
  })

  const hours = 'From Monday to Friday we are open from nine to five, and on Saturday from ten to two. '

  /** The caller says this into what the assistant says. Packets that come too late make other words of it: then it is tried again. */
  const saidInto = async (speaks: string, text: string, wanted: 'said' | 'backchannel') => {
    const samples = await spoken(speech, text)
    for (let tries = 1; ; tries++) {
      const stage = await openStage(t, media, speech, {})
      stage.say(speaks)
      await stage.phone.hearsAnything()
      await stage.phone.says(joined(silence(300), samples))
      const notified = await stage.next('said', 'backchannel', 'falseAlarm')
      if (notified.told === wanted || tries === 4) return { stage, told: notified }
      await stage.conversation.close()
    }
  }

  void t.test('who only listens is talked over', async () => {
    const { stage, told: notified } = await saidInto(`Our opening hours are as follows. ${hours.repeat(2)}`, 'Okay.', 'backchannel')
    assert.ok(notified.told === 'backchannel' && /^ok(ay)?\W*$/i.test(notified.what), JSON.stringify(notified))
    assert.equal(stage.conversation.speaking, true)
    const { spoken: speaks } = await stage.next('spoke')
    assert.equal(speaks.completed, true)
  })

  void t.test('the same answers a question', async () => {
    const { told: notified } = await saidInto('Would it be all right if somebody called you back tomorrow in the afternoon?', 'Okay.', 'said')
    assert.ok(notified.told === 'said' && /^ok(ay)?\W*$/i.test(notified.said.text), JSON.stringify(notified))
  })

  void t.test('a word that is meant stops it', async () => {
    const { told: notified } = await saidInto(`Our opening hours are as follows. ${hours.repeat(2)}`, 'Stop!', 'said')
    assert.ok(notified.told === 'said' && notified.said.bargedIn && /stop/i.test(notified.said.text), JSON.stringify(notified))
  })

  void t.test('a few characters end the speech, long before the caller has finished', async () => {
    const stage = await openStage(t, media, speech, { bargeIn: { strategy: 'minimum_characters' } })
    stage.say(`Our opening hours are as follows. ${hours.repeat(4)}`)
    await stage.phone.hearsAnything()
    // Without a pause, again and again: a recogniser on a busy machine may be a few seconds behind.
    const words = withoutSilence(await recording('invalid'))
    const spoken: Spoken[] = []
    void stage.next('spoke').then((notified) => spoken.push(notified.spoken))
    for (let times = 0; times < 6 && spoken.length === 0; times++) await stage.phone.says(words)
    assert.equal(spoken[0]?.completed, false, 'it was cut before the caller had finished')
    const { said } = await stage.next('said')
    assert.equal(said.bargedIn, true)
    assert.match(said.text, /not a valid extension/i)
  })
})

const recording = async (name: string): Promise<Int16Array> => {
  const { channels } = await readWav(join(dirname(recordedSpeech), `${name}.wav`))
  return Int16Array.from(channels[0] ?? [], (value) => Math.round(value * 32_767))
}

const withoutSilence = (sound: Int16Array): Int16Array => {
  const isLoud = (sample: number): boolean => Math.abs(sample) > 1000
  return sound.subarray(sound.findIndex(isLoud), sound.findLastIndex(isLoud) + 1)
}

const joined = (...sounds: Int16Array[]): Int16Array => Int16Array.from(sounds.flatMap((sound) => [...sound]))

/** By the embedded voice. */
const spoken = async (speech: Speech, text: string): Promise<Int16Array> => {
  const tts = speech.tts('embedded')
  const pieces: Int16Array[] = []
  for await (const piece of tts?.synthesize({ text, language: 'en-US' }, new AbortController().signal) ?? []) pieces.push(piece)
  return resampleSound(joined(...pieces), tts?.rate ?? 16_000, 8000)
}
