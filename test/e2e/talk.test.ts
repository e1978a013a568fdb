import assert from 'node:assert/strict'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { pino } from 'pino'
import { realClock } from '../../packages/server/src/adapters/clock/real-clock.ts'
import { openEars } from '../../packages/server/src/adapters/speech/ear/ears.ts'
import { toneMessages, toneSound } from '../../packages/server/src/adapters/speech/tones/tone-sound.ts'
import { toneStt, toneTts } from '../../packages/server/src/adapters/speech/tones/tone-speech.ts'
import { readSettings } from '../../packages/server/src/config.ts'
import type { Speech } from '../../packages/server/src/core/ports/speech.ts'
import type { FlowSettings } from '../../packages/server/src/core/ports/store/flows.ts'
import type { Leg } from '../../packages/server/src/core/ports/telephony.ts'
import { openTalk } from '../../packages/server/src/core/session/open-talk.ts'
import type { Said, Spoken, Talk, TalkObserver } from '../../packages/server/src/core/session/talk.ts'
import { SpeechCache } from '../../packages/server/src/core/speech/speech-cache.ts'
import type { Media, MediaStream } from '../../packages/server/src/media/engine.ts'
import { G711 } from '../../packages/server/src/media/g711.ts'
import { openSpeech } from '../../packages/server/src/speech.ts'
import { embeddedModels } from '../support/embedded-models.ts'
import { call, startTestMedia } from '../support/media-call.ts'
import { needs } from '../support/peers/debian.ts'
import { recordedSpeech } from '../support/peers/recorded-speech.ts'
import { readWav } from '../support/peers/wav.ts'
import { payloadTypes, type RtpPhone } from '../support/rtp-phone.ts'

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

/** As much of a leg as a talk needs. */
const legOf = (stream: MediaStream): Leg => {
  const leg: Pick<Leg, 'feed' | 'listen' | 'background' | 'observe'> = {
    feed: (rate) => stream.feed(rate),
    listen: () => stream.listen(),
    background: () => {},
    observe: () => () => {},
  }
  return leg as Leg
}

type Told =
  | { told: 'said'; said: Said; at: number }
  | { told: 'spoke'; spoken: Spoken; at: number }
  | { told: 'speechStarted' | 'falseAlarm' | 'discarded' | 'quiet' | 'beep' | 'problem' | 'lost'; at: number; what?: string }

/** Everything that is told, and the first of some kinds that was not waited for yet. */
const listener = () => {
  const told: Told[] = []
  let look: () => void = () => {}
  const note = (one: Told): void => {
    told.push(one)
    look()
  }
  const at = (): number => Date.now()
  const observer: TalkObserver = {
    speechStarted: () => note({ told: 'speechStarted', at: at() }),
    said: (said) => note({ told: 'said', said, at: at() }),
    falseAlarm: () => note({ told: 'falseAlarm', at: at() }),
    spoke: (spoken) => note({ told: 'spoke', spoken, at: at() }),
    discarded: () => note({ told: 'discarded', at: at() }),
    quiet: () => note({ told: 'quiet', at: at() }),
    problem: ({ message }) => note({ told: 'problem', at: at(), what: message }),
    beep: () => note({ told: 'beep', at: at() }),
    lost: (error) => note({ told: 'lost', at: at(), what: error.message }),
  }
  const next = async <T extends Told['told']>(...kinds: T[]): Promise<Extract<Told, { told: T }>> => {
    for (;;) {
      const place = told.findIndex((one) => kinds.some((kind) => kind === one.told))
      if (place >= 0) return told.splice(0, place + 1).at(-1) as Extract<Told, { told: T }>
      await new Promise<void>((resolve) => (look = resolve))
    }
  }
  const faults = (): Told[] => told.filter((one) => one.told === 'problem' || one.told === 'lost')
  return { observer, next, faults }
}

const openStage = async (t: TestContext, media: Media, speech: Speech, settings: FlowSettings) => {
  const { phone, stream } = await call(t, media)
  const { observer, next, faults } = listener()
  const outbound = { request: () => assert.fail('nothing is fetched'), close: () => Promise.resolve() }
  const flow = { id: 'flow', name: 'flow', settings }
  const parts = { leg: legOf(stream), speech, clock: realClock(), outbound, cache: new SpeechCache(), flow, language: 'en-US' }
  const talk: Talk = openTalk(parts, observer)
  t.after(() => talk.close())
  const say = (text: string): void => talk.say({ type: 'speak', session_id: '', text }, 'event')
  return { talk, say, phone: new TalkingPhone(phone, stream.localPort), next, faults }
}

test('a caller and an assistant understand each other over real media, and the caller interrupts', { timeout: 30_000 }, async (t) => {
  const ears = openEars({ detector: 'energy', onDied: (error) => assert.fail(error) })
  t.after(() => ears.close())
  const speech: Speech = { vad: ears, stt: () => toneStt, tts: () => toneTts, prepare: () => {}, close: () => Promise.resolve() }
  const { talk, say, phone, next, faults } = await openStage(t, startTestMedia(t), speech, { bargeIn: { strategy: 'immediate' } })

  say('Hello')
  await phone.hears('Hello')
  const greeting = await next('spoke')
  assert.deepEqual([greeting.spoken.completed, greeting.spoken.text], [true, 'Hello'])
  assert.equal(greeting.spoken.durationMs, toneSound('Hello').length / 8)

  // A busy machine sends packets too late, and their tones are lost: whoever is not understood says it again.
  let turn: Awaited<ReturnType<typeof next<'said' | 'falseAlarm'>>>
  let spokenAt: number
  do {
    await phone.says(toneSound('good day'))
    spokenAt = Date.now()
    turn = await next('said', 'falseAlarm')
  } while (turn.told !== 'said' || turn.said.confidence !== undamaged)
  const { said, at } = turn
  assert.deepEqual([said.text, said.bargedIn], ['good day', false])
  assert.ok(at - spokenAt >= 450 && at - spokenAt < 1500, `${at - spokenAt} ms after the last packet`)
  assert.equal(said.timing.endpointMs, 500)

  say('This is a very long sentence that nobody wants to hear, not even as tones, to its end.')
  await phone.hears('This is')
  const saying = phone.says(toneSound('stop'))
  await phone.isSilent()
  await saying
  const cut = await next('spoke')
  assert.equal(cut.spoken.completed, false)
  const interruption = await next('said')
  assert.equal(interruption.said.bargedIn, true)
  if (interruption.said.confidence === undamaged) assert.equal(interruption.said.text, 'stop')
  assert.equal(interruption.said.heardMs, cut.spoken.durationMs)
  assert.ok(interruption.said.heardText && 'This is a very long sentence that'.startsWith(interruption.said.heardText))

  await talk.close()
  assert.deepEqual(faults(), [])
})

/** How sure the pair of tones is of what came to its end with a good check byte. */
const undamaged = 1

const { skip } = await embeddedModels('vad', 'stt-en', 'tts-en')

test(
  'with the models: who answers, and a caller who speaks over the assistant',
  { timeout: 90_000, concurrency: true, skip },
  async (t) => {
    if (!(await needs(t, recordedSpeech))) return
    const media = startTestMedia(t)
    const speech = await openSpeech({ settings: readSettings({ OFFHOOK_SPEECH: 'embedded' }), logger: pino({ level: 'silent' }) })
    t.after(() => speech.close())
    speech.prepare(['en-US'])
    const silence = (ms: number): Int16Array => new Int16Array(ms * 8)
    const answered = async (...greeting: Int16Array[]) => {
      const stage = await openStage(t, media, speech, {})
      const who = stage.talk.detectMachine()
      await stage.phone.says(joined(silence(700), ...greeting))
      return { ...stage, who: await who }
    }

    void t.test('an announcement is a machine, and then comes its tone', async () => {
      const { who, next } = await answered(await recording('vm-nobodyavail'), silence(300), await recording('beep'), silence(200))
      assert.equal(who, 'machine')
      await next('beep')
    })

    void t.test('whoever says a word and waits is a person', async () => {
      const { who } = await answered(await recording('vm-goodbye'), silence(1500))
      assert.equal(who, 'human')
    })

    void t.test('a few characters end the speech, long before the caller has finished', async () => {
      const stage = await openStage(t, media, speech, {})
      stage.say('Our opening hours are as follows. From Monday to Friday we are open from nine to five, and on Saturday from ten to two.')
      await stage.phone.hearsAnything()
      const begun = Date.now()
      const saying = stage.phone.says(await recording('invalid'))
      const cut = await stage.next('spoke')
      await saying
      const end = Date.now()
      const { said } = await stage.next('said')
      assert.equal(cut.spoken.completed, false)
      assert.ok(cut.at < begun + 3_000 && cut.at < end, `${cut.at - begun} of ${end - begun} ms`)
      assert.equal(said.bargedIn, true)
      assert.match(said.text, /not a valid extension/i)
    })
  },
)

const recording = async (name: string): Promise<Int16Array> => {
  const { channels } = await readWav(join(dirname(recordedSpeech), `${name}.wav`))
  return Int16Array.from(channels[0] ?? [], (value) => Math.round(value * 32_767))
}

const joined = (...sounds: Int16Array[]): Int16Array => Int16Array.from(sounds.flatMap((sound) => [...sound]))
