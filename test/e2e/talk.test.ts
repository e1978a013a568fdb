import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { realClock } from '../../packages/server/src/adapters/clock/real-clock.ts'
import { openEars } from '../../packages/server/src/adapters/speech/ear/ears.ts'
import { toneMessages, toneSound } from '../../packages/server/src/adapters/speech/tones/tone-sound.ts'
import { toneStt, toneTts } from '../../packages/server/src/adapters/speech/tones/tone-speech.ts'
import type { Speech } from '../../packages/server/src/core/ports/speech.ts'
import type { Leg } from '../../packages/server/src/core/ports/telephony.ts'
import { openTalk } from '../../packages/server/src/core/session/open-talk.ts'
import type { Said, Spoken, Talk, TalkObserver } from '../../packages/server/src/core/session/talk.ts'
import { SpeechCache } from '../../packages/server/src/core/speech/speech-cache.ts'
import type { MediaStream } from '../../packages/server/src/media/engine.ts'
import { G711 } from '../../packages/server/src/media/g711.ts'
import { call, startTestMedia } from '../support/media-call.ts'
import { payloadTypes, type RtpPhone } from '../support/rtp-phone.ts'

const frame = 160

/** A phone that says texts as tones, in packets of 20 ms. */
class TonePhone {
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
  says(text: string): Promise<void> {
    this.#sound = Int16Array.from(toneSound(text))
    this.#at = 0
    return new Promise((resolve) => (this.#finished = resolve))
  }

  /** At least the beginning of something. */
  hears(text: string): Promise<void> {
    const heard = (): boolean => toneMessages(this.#phone.recent(6000)).some((message) => message.text.startsWith(text))
    return this.#phone.until(heard, `never heard "${text}"`)
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
  const leg: Pick<Leg, 'feed' | 'listen' | 'background'> = {
    feed: (rate) => stream.feed(rate),
    listen: () => stream.listen(),
    background: () => {},
  }
  return leg as Leg
}

/** Everything that is told, and the first of its kind that was not waited for yet. */
const listener = () => {
  const told: ({ told: 'said'; said: Said; at: number } | { told: 'spoke'; spoken: Spoken } | { told: string })[] = []
  let look: () => void = () => {}
  const note = (one: (typeof told)[number]): void => {
    told.push(one)
    look()
  }
  const observer: TalkObserver = {
    speechStarted: () => note({ told: 'speechStarted' }),
    said: (said) => note({ told: 'said', said, at: Date.now() }),
    falseAlarm: () => note({ told: 'falseAlarm' }),
    spoke: (spoken) => note({ told: 'spoke', spoken }),
    discarded: () => note({ told: 'discarded' }),
    quiet: () => note({ told: 'quiet' }),
    problem: ({ message }) => note({ told: `problem ${message}` }),
    beep: () => note({ told: 'beep' }),
    lost: (error) => note({ told: `lost ${error.message}` }),
  }
  const next = async <T extends 'said' | 'spoke'>(what: T): Promise<Extract<(typeof told)[number], { told: T }>> => {
    for (;;) {
      const place = told.findIndex((one) => one.told === what)
      if (place >= 0) return told.splice(0, place + 1).at(-1) as Extract<(typeof told)[number], { told: T }>
      await new Promise<void>((resolve) => (look = resolve))
    }
  }
  return { observer, next, told }
}

const openStage = async (t: TestContext) => {
  const { phone, stream } = await call(t, startTestMedia(t))
  const ears = openEars({ detector: 'energy', onDied: (error) => assert.fail(error) })
  t.after(() => ears.close())
  const speech: Speech = { vad: ears, stt: () => toneStt, tts: () => toneTts, close: () => Promise.resolve() }
  const { observer, next, told } = listener()
  const outbound = { request: () => assert.fail('nothing is fetched'), close: () => Promise.resolve() }
  const flow = { id: 'flow', name: 'flow', settings: { bargeIn: { strategy: 'immediate' as const } } }
  const parts = { leg: legOf(stream), speech, clock: realClock(), outbound, cache: new SpeechCache(), flow, language: 'en' }
  const talk: Talk = openTalk(parts, observer)
  return { talk, phone: new TonePhone(phone, stream.localPort), next, told }
}

test('a caller and an assistant understand each other over real media, and the caller interrupts', { timeout: 30_000 }, async (t) => {
  const { talk, phone, next, told } = await openStage(t)
  const say = (text: string): void => talk.say({ type: 'speak', session_id: '', text }, 'event')

  say('Hello')
  await phone.hears('Hello')
  const greeting = await next('spoke')
  assert.deepEqual([greeting.spoken.completed, greeting.spoken.text], [true, 'Hello'])
  assert.equal(greeting.spoken.durationMs, toneSound('Hello').length / 8)

  await phone.says('good day')
  const spokenAt = Date.now()
  const { said, at } = await next('said')
  assert.deepEqual([said.text, said.bargedIn], ['good day', false])
  assert.ok(at - spokenAt >= 450 && at - spokenAt < 1500, `${at - spokenAt} ms after the last packet`)
  assert.equal(said.timing.endpointMs, 500)

  say('This is a very long sentence that nobody wants to hear, not even as tones, to its end.')
  await phone.hears('This is')
  const saying = phone.says('stop')
  await phone.isSilent()
  await saying
  const cut = await next('spoke')
  assert.equal(cut.spoken.completed, false)
  const interruption = await next('said')
  assert.deepEqual([interruption.said.text, interruption.said.bargedIn], ['stop', true])
  assert.equal(interruption.said.heardMs, cut.spoken.durationMs)
  assert.ok(interruption.said.heardText && 'This is a very long sentence that'.startsWith(interruption.said.heardText))

  await talk.close()
  assert.deepEqual(
    told.filter((one) => one.told.startsWith('problem') || one.told.startsWith('lost')),
    [],
  )
})
