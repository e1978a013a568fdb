import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import { Resampler } from '#media/codec/resample.ts'
import { openConversation } from '#core/assistant/session/floor/open-conversation.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { Rehearsals } from '#core/speech/voices/rehearsals.ts'
import { SpeechCache } from '#core/speech/voices/speech-cache.ts'
import { toneStt, toneTts } from '#adapters/speech/tones/tone-speech.ts'
import { EnergyDetector } from '#adapters/speech/vad/energy-detector.ts'
import type { Service } from '#cli/test/live-call.ts'
import { frameMs, frameSamples } from '#cli/test/microphone.ts'
import type { TypedTalk } from '#cli/say/typed-talk.ts'
import type { VirtualClock } from '../clock/virtual-clock.ts'
import type { ScriptedLeg } from '../ports/scripted-leg.ts'
import type { Reply } from '../session/scripted-endpoint.ts'
import { SessionFixture } from '../session/session-fixture.ts'
import { paces, TimedRecogniser } from './timed-recogniser.ts'
import { VirtualVad } from './virtual-vad.ts'

interface SoundingServiceDeps {
  store: Store
  settings: FlowSettings
  /** The customer's endpoint; it may wait on the clock. */
  reply: (clock: VirtualClock) => Reply
}

/** Longer than a timeline stays open after its call. */
const lingerMs = 20_000
/** About what ducking leaves: 12 dB less. */
const duckedGain = 0.25

/** Spoken conversations in virtual time, without models: both sides speak in tones. Turn taking, interruptions and sessions are those of the service; the telephone is not. */
export class SoundingService implements Service {
  readonly #fixture: SessionFixture
  readonly #vad: VirtualVad
  readonly #recogniser: TimedRecogniser
  readonly #settings: FlowSettings
  #isOver = false

  constructor({ store, settings, reply }: SoundingServiceDeps) {
    this.#settings = settings
    this.#vad = new VirtualVad(new EnergyDetector())
    this.#recogniser = new TimedRecogniser(toneStt, paces.base, () => this.clock)
    const openWithSound =
      ({ exchange: { clock } }: SessionFixture): SessionFixture['deps']['openConversation'] =>
      (on, observer) => {
        const speech = {
          vad: this.#vad,
          stt: () => this.#recogniser,
          tts: () => toneTts,
          prepare: async () => {},
          close: async () => {},
        }
        const outbound = { request: () => Promise.reject(new Error('no network')), close: async () => {} }
        return openConversation({ ...on, speech, clock, outbound, cache: new SpeechCache(), rehearsals: new Rehearsals() }, observer)
      }
    this.#fixture = new SessionFixture(store, { keepsTimelines: true, openConversation: openWithSound })
    this.#fixture.endpoints.reply = reply(this.clock)
  }

  get clock(): VirtualClock {
    return this.#fixture.exchange.clock
  }

  async call(onSound: (frame: Int16Array) => void): Promise<TypedTalk> {
    const customer = await this.#fixture.newCustomer(this.#settings)
    const { telephony, timelines } = this.#fixture.exchange
    const ended = Promise.withResolvers<{ by: 'caller'; reason: 'caller_hangup' }>()
    const entries = new Entries()
    this.#entries = entries
    const stop = timelines.watch({
      accountId: customer.accountId,
      userId: undefined,
      callId: undefined,
      flowId: undefined,
      notify: ({ entry }) => entries.add(entry),
    })
    const leg = telephony.arrives({ kind: 'trunk', trunkId: 'carrier' }, customer.number, {
      caller: { number: '+4921163554444', name: '', withheld: false },
    })
    void leg.ended.then(() => {
      stop()
      ended.resolve({ by: 'caller', reason: 'caller_hangup' })
    })
    const speaker = new Speaker(leg)
    const toService = new Resampler(2 * 8_000, 8_000)
    const narrow = new Int16Array(frameSamples / 2)
    return {
      callId: 'call',
      send: (frame) => {
        if (frame.type === 'hangup') leg.hangsUp()
      },
      sendSound: (frame) => {
        const { narrow: played, wide } = speaker.next()
        toService.process(frame, narrow)
        both(leg, narrow, played)
        onSound(wide)
        this.#vad.look()
      },
      close: () => leg.hangsUp(),
      ended: ended.promise,
    }
  }

  #entries = new Entries()

  watch(_callId: string, signal: AbortSignal): AsyncIterable<TimelineEntry> {
    return this.#entries.until(signal)
  }

  /** Moves time until the work is done. */
  async during<T>(work: Promise<T>): Promise<T> {
    const done = work.finally(() => (this.#isOver = true))
    done.catch(() => {})
    while (!this.#isOver) {
      await this.#recogniser.settled()
      await this.clock.advance(frameMs)
    }
    return done
  }

  async close(): Promise<void> {
    await this.clock.advance(lingerMs)
    await this.#fixture.close()
  }
}

/** The caller's and the assistant's sound, as the service's detector gets them. */
const both = (leg: ScriptedLeg, caller: Int16Array, assistant: Int16Array): void => {
  const block = new Int16Array(2 * caller.length)
  block.set(caller)
  block.set(assistant, caller.length)
  for (const ring of leg.listening) ring.write(block)
}

/** What the leg plays, frame by frame. */
class Speaker {
  readonly #leg: ScriptedLeg
  /** Samples taken of each feed. */
  readonly #taken: number[] = []

  constructor(leg: ScriptedLeg) {
    this.#leg = leg
  }

  next(): { narrow: Int16Array; wide: Int16Array } {
    const narrow = new Int16Array(frameSamples / 2)
    for (const [nth, feed] of this.#leg.feeds.entries()) {
      const from = this.#taken[nth] ?? 0
      const to = Math.round((feed.playedMs() * feed.rate) / 1000)
      this.#taken[nth] = to
      const step = feed.rate / 8_000
      const gain = this.#leg.ducked ? duckedGain : 1
      for (let at = 0; at < narrow.length && from + at * step < to; at++) narrow[at] = (feed.samples[from + at * step] ?? 0) * gain
    }
    return { narrow, wide: Int16Array.from({ length: frameSamples }, (_, at) => narrow[at >> 1] ?? 0) }
  }
}

/** Timeline entries as they happen. */
class Entries {
  readonly #all: TimelineEntry[] = []
  #wake: () => void = () => {}

  add(entry: TimelineEntry): void {
    this.#all.push(entry)
    this.#wake()
  }

  async *until(signal: AbortSignal): AsyncGenerator<TimelineEntry> {
    signal.addEventListener('abort', () => this.#wake())
    for (let at = 0; !signal.aborted;) {
      const entry = this.#all[at]
      if (entry) {
        at += 1
        yield entry
      } else await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }
}
