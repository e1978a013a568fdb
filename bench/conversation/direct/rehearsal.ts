import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'
import type { ActionOf } from '@offhook/contract/assistant/actions.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { ConversationFixture } from '#test/session/conversation-fixture.ts'
import { overTheLine } from '../sets/noises.ts'
import { silence, type Recording } from '../sets/recording.ts'
import type { Listener } from './listener.ts'
import { VirtualVad } from '#test/speech/virtual-vad.ts'
import { TimedRecogniser } from '#test/speech/timed-recogniser.ts'

export interface Setting {
  flow: FlowSettings
  language: string
  /** The assistant's text, with the options of its speak action. */
  speak?: Partial<ActionOf<'speak'>>
}

const frameSamples = 160
const frameMs = 20

/**
 * A conversation of the service without telephone, real time or randomness: its own detector, recogniser, turn taking and floor, fed with a
 * recording frame by frame. Events are logged with their time in milliseconds since the start.
 */
export class Rehearsal {
  readonly #fixture: ConversationFixture
  readonly #ear: VirtualVad
  /** Time at which the assistant's voice was first ducked. */
  duckedAt: number | undefined

  constructor({ stt, paceOf, detector }: Listener, { flow, language }: Setting) {
    this.#ear = new VirtualVad(detector)
    const recogniser = new TimedRecogniser(stt, paceOf(language), () => this.#fixture.clock)
    const clock = new VirtualClock(0, () => recogniser.settled())
    this.#fixture = new ConversationFixture({ settings: flow, language, clock, vad: this.#ear, stts: () => ({ embedded: recogniser }) })
  }

  get now(): number {
    return this.#fixture.clock.now()
  }

  get told(): ConversationFixture['told'] {
    return this.#fixture.told
  }

  say(text: string, more: Partial<ActionOf<'speak'>> = {}): void {
    this.#fixture.say(text, more)
    this.#fixture.conversation.expect(more)
  }

  /** Opens the endpoint, which answers events. */
  withEndpoint<T>(open: (fixture: ConversationFixture) => T): T {
    return open(this.#fixture)
  }

  /** Feeds the caller's sound as a telephone line carries it. */
  async hear(sound: Int16Array): Promise<void> {
    const line = overTheLine(sound, 7 + this.now)
    for (let at = 0; at + frameSamples <= line.length; at += frameSamples) {
      await this.#fixture.clock.advance(frameMs)
      this.#fixture.leg.says(line.subarray(at, at + frameSamples))
      this.#ear.look()
      if (this.#fixture.leg.ducked) this.duckedAt ??= this.now
    }
  }

  silent(ms: number): Promise<void> {
    return this.hear(silence(ms))
  }

  async close(): Promise<void> {
    await this.#fixture.close()
  }
}

/** Recording with silence around it, and its result. */
export interface Rehearsed {
  recording: Recording
  /** Times of the first and the last voiced sample. */
  voice: { from: number; to: number }
  told: ConversationFixture['told']
  duckedAt: number | undefined
}
