import assert from 'node:assert/strict'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { realClock } from '#adapters/clock/clocks.ts'
import { openVadPool } from '#adapters/speech/vad/vad-pool.ts'
import { toneMessages, toneSound, toneStt, toneTts } from '#adapters/speech/tones/tone-speech.ts'
import { readSettings } from '#settings/config.ts'
import type { Speech } from '#core/kernel/ports/speech.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'
import type { Audio, Leg } from '#core/kernel/ports/telephony.ts'
import {
  Emitter,
  type Listeners,
  type Said,
  type Spoken,
  type Conversation,
  type ConversationEvents,
} from '#core/assistant/session/conversation.ts'
import { openConversation } from '#core/assistant/session/floor/open-conversation.ts'
import { SessionLanguage } from '#core/assistant/session/session-language.ts'
import { Rehearsals } from '#core/speech/voices/rehearsals.ts'
import { cacheKey, SpeechCache } from '#core/speech/voices/speech-cache.ts'
import { spokenText } from '#core/speech/text-normalization/spoken-text.ts'
import { utterancesOf } from '#core/speech/text-normalization/sentences.ts'
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
const language = 'en-US'

/** Phone that plays given sound in packets of 20 ms. */
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

  /** Resolves when the last packet is sent. */
  says(sound: Int16Array): Promise<void> {
    this.#sound = Int16Array.from(sound)
    this.#at = 0
    return new Promise((resolve) => (this.#finished = resolve))
  }

  /** Waits for at least the beginning. Analyses only as much as needed: more would delay this thread's sending. */
  hears(text: string): Promise<void> {
    const lengthMs = 1.5 * (toneSound(text).length / 8)
    const heard = (): boolean => toneMessages(this.#phone.recent(lengthMs)).some((message) => message.text.startsWith(text))
    return this.#phone.until(heard, `never heard "${text}"`)
  }

  hearsAnything(): Promise<void> {
    return this.#phone.until(() => this.#phone.recent(200).some((sample) => Math.abs(sample) > 1000), 'it is silent')
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

/** Subset of a leg that a conversation needs. */
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

/** All events, and the first not yet awaited one of some kinds. */
const listener = () => {
  const notified: Told[] = []
  let look: () => void = () => {}
  const note = (one: Told): void => {
    notified.push(one)
    look()
  }
  const listeners: Listeners<ConversationEvents> = {
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
  return { listeners, next, faults }
}

const openStage = async (t: TestContext, media: Media, speech: Speech, settings: FlowSettings, cache = new SpeechCache()) => {
  const { phone, stream } = await call(t, media)
  const { listeners, next, faults } = listener()
  const outbound = { request: () => assert.fail('nothing is fetched'), close: () => Promise.resolve() }
  const flow = { id: 'flow', name: 'flow', settings }
  const parts = {
    leg: legOf(stream),
    speech,
    clock: realClock(),
    outbound,
    cache,
    rehearsals: new Rehearsals(),
    flow,
    language: new SessionLanguage(language),
  }
  const conversation: Conversation = openConversation(parts, new Emitter<ConversationEvents>().listen(listeners))
  t.after(() => conversation.close())
  const say = (text: string): void => conversation.say({ type: 'speak', session_id: '', text }, 'event')
  return { conversation, say, phone: new TalkingPhone(phone, stream.localPort), next, faults }
}

test('understands the caller over real media, and stops when interrupted', async (t) => {
  const vadPool = openVadPool({ detector: 'energy', onDied: (error) => assert.fail(error) })
  t.after(() => vadPool.close())
  const speech: Speech = { vad: vadPool, stt: () => toneStt, tts: () => toneTts, prepare: async () => {}, close: () => Promise.resolve() }
  const { conversation, say, phone, next, faults } = await openStage(t, startTestMedia(t), speech, { bargeIn: { strategy: 'immediate' } })

  say('Hello')
  await phone.hears('Hello')
  const greeting = await next('spoke')
  assert.deepEqual([greeting.spoken.completed, greeting.spoken.text], [true, 'Hello'])
  assert.equal(greeting.spoken.durationMs, toneSound('Hello').length / 8)

  // A busy machine sends packets late, and their tones are lost: repeats an unrecognised utterance.
  let turn: Awaited<ReturnType<typeof next<'said' | 'falseAlarm'>>>
  do {
    await phone.says(toneSound('good day'))
    turn = await next('said', 'falseAlarm')
  } while (turn.told !== 'said' || turn.said.confidence !== undamaged)
  const { said } = turn
  assert.deepEqual([said.text, said.bargedIn], ['good day', false])
  assert.ok(said.timing.endpointMs >= 300 && said.timing.endpointMs <= 2000)

  // VAD hears the voice of a damaged word, the recogniser no words: the speech pauses and then continues to its end.
  const interrupt = async (): Promise<{ spoken: Spoken; said: Said }> => {
    for (let tries = 1; ; tries++) {
      say('This is a very long sentence that nobody wants to hear, not even as tones, to its end.')
      await phone.hears('This is')
      const saying = phone.says(toneSound('stop'))
      await phone.isSilent()
      await saying
      const ended = await next('spoke', 'falseAlarm')
      const { spoken } = ended.told === 'spoke' ? ended : await next('spoke')
      const interruption = ended.told === 'spoke' ? await next('said', 'falseAlarm') : ended
      if (interruption.told === 'said' && !spoken.completed) return { spoken, said: interruption.said }
      assert.ok(tries < 8, JSON.stringify([spoken, interruption]))
    }
  }
  const { spoken: cut, said: interruption } = await interrupt()
  assert.equal(interruption.bargedIn, true)
  if (interruption.confidence === undamaged) assert.equal(interruption.text, 'stop')
  assert.equal(interruption.heardMs, cut.durationMs)
  assert.ok(interruption.heardText && 'This is a very long sentence that'.startsWith(interruption.heardText))

  await conversation.close()
  assert.deepEqual(faults(), [])
})

/** Confidence of a tone pair that ended with a valid check byte. */
const undamaged = 1

const { skip } = await embeddedModels('vad', 'stt-en', 'tts-en')

test(
  'with the models: tells person from machine, and handles a caller who speaks over the assistant',
  { concurrency: true, skip },
  async (t) => {
    if (!(await needs(t, recordedSpeech))) return
    const media = startTestMedia(t)
    const speech = await openSpeech({ settings: readSettings({ OFFHOOK_SPEECH: 'embedded' }), log: () => {} })
    t.after(() => speech.close())
    void speech.prepare([language])
    const opening = 'Our opening hours are as follows.'
    const hours = 'From Monday to Friday we are open from nine to five, and on Saturday from ten to two. '
    const question = 'Would it be all right if somebody called you back tomorrow in the afternoon?'
    // Synthesised before the calls: a busy machine takes longer to synthesise than a phone waits.
    const cache = new SpeechCache()
    for (const text of [`${opening} ${hours.repeat(2)}`, question]) await synthesised(speech, cache, text)
    const okay = await synthesised(speech, cache, 'Okay.')
    const pleaseStop = await synthesised(speech, cache, 'Please stop!')

    const silence = (ms: number): Int16Array => new Int16Array(ms * 8)
    const answered = async (...greeting: Int16Array[]) => {
      const stage = await openStage(t, media, speech, {})
      const who = stage.conversation.detectMachine()
      await stage.phone.says(joined(silence(700), ...greeting))
      return { ...stage, who: await who }
    }

    /** Late packets make pauses that were not spoken: retries then. */
    const isTakenFor = async (wanted: string, ...greeting: Int16Array[]) => {
      let stage = await answered(...greeting)
      for (let tries = 1; tries < 4 && stage.who !== wanted; tries++) stage = await answered(...greeting)
      assert.equal(stage.who, wanted)
      return stage
    }

    void t.test('classifies an announcement as a machine, then detects its tone', async () => {
      const announcement = [await recording('vm-nobodyavail'), silence(300), await recording('beep'), silence(200)]
      await (await isTakenFor('machine', ...announcement)).next('beep')
    })

    void t.test('classifies a callee who says a word and waits as a person', async () => {
      await isTakenFor('human', await recording('vm-goodbye'), silence(1500))
    })

    /** The caller says this while the assistant speaks. Late packets change the words, and how they are taken: retries then. */
    const saidInto = async (speaks: string, samples: Int16Array, isExpected: (told: Told) => boolean) => {
      for (let tries = 1; ; tries++) {
        const stage = await openStage(t, media, speech, {}, cache)
        stage.say(speaks)
        await stage.phone.hearsAnything()
        await stage.phone.says(joined(silence(300), samples))
        const notified = await stage.next('said', 'backchannel', 'falseAlarm')
        if (isExpected(notified)) return stage
        assert.ok(tries < 8, JSON.stringify(notified))
        await stage.conversation.close()
      }
    }
    const isOkay = (words: string | undefined): boolean => /^ok(ay)?\W*$/i.test(words ?? '')

    void t.test('continues over a back-channel', async () => {
      const stage = await saidInto(`${opening} ${hours.repeat(2)}`, okay, (one) => one.told === 'backchannel' && isOkay(one.what))
      assert.equal(stage.conversation.speaking, true)
      const { spoken: speaks } = await stage.next('spoke')
      assert.equal(speaks.completed, true)
    })

    void t.test('takes the same word as the answer to a question', async () => {
      await saidInto(question, okay, (one) => one.told === 'said' && isOkay(one.said.text))
    })

    // The assistant would speak for a minute: a recogniser on a busy machine may be many seconds behind.
    void t.test('stops at a word that is meant', async () => {
      const stops = (one: Told): boolean => one.told === 'said' && one.said.bargedIn && /stop/i.test(one.said.text)
      await saidInto(`${opening} ${hours.repeat(10)}`, pleaseStop, stops)
    })

    void t.test('stops after a few characters, long before the caller has finished', async () => {
      const stage = await openStage(t, media, speech, { bargeIn: { strategy: 'minimum_characters' } }, cache)
      stage.say(`${opening} ${hours.repeat(10)}`)
      await stage.phone.hearsAnything()
      // Repeats without a pause: a recogniser on a busy machine may be a few seconds behind.
      const words = withoutSilence(await recording('invalid'))
      const spoken: Spoken[] = []
      void stage.next('spoke').then((notified) => spoken.push(notified.spoken))
      for (let times = 0; times < 20 && spoken.length === 0; times++) await stage.phone.says(words)
      assert.equal(spoken[0]?.completed, false, 'it was cut before the caller had finished')
      const { said } = await stage.next('said')
      assert.equal(said.bargedIn, true)
      assert.match(said.text, /not a valid extension/i)
    })
  },
)

const recording = async (name: string): Promise<Int16Array> => {
  const { channels } = await readWav(join(dirname(recordedSpeech), `${name}.wav`))
  return Int16Array.from(channels[0] ?? [], (value) => Math.round(value * 32_767))
}

const withoutSilence = (sound: Int16Array): Int16Array => {
  const isLoud = (sample: number): boolean => Math.abs(sample) > 1000
  return sound.subarray(sound.findIndex(isLoud), sound.findLastIndex(isLoud) + 1)
}

const joined = (...sounds: Int16Array[]): Int16Array => Int16Array.from(sounds.flatMap((sound) => [...sound]))

/** Speech of the embedded voice for a phone. Conversations with this cache say the text without synthesising it again. */
const synthesised = async (speech: Speech, cache: SpeechCache, text: string): Promise<Int16Array> => {
  const tts = speech.tts('embedded')
  assert.ok(tts)
  const all: Int16Array[] = []
  for (const sentence of utterancesOf(text, language)) {
    const utterance = { text: spokenText(sentence, language), language }
    const pieces: Int16Array[] = []
    for await (const piece of tts.synthesize(utterance, new AbortController().signal)) pieces.push(piece)
    cache.keep(cacheKey('embedded', utterance), { rate: tts.rate, samples: joined(...pieces) })
    all.push(...pieces)
  }
  return resampleSound(joined(...all), tts.rate, 8000)
}
