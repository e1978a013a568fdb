import type { FlowSettings } from '#core/kernel/ports/store/assistant/flows.ts'
import type { ActionOf } from '@offhook/contract/assistant/actions.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { ConversationFixture } from '#test/session/conversation-fixture.ts'
import { overTheLine } from '../sets/noises.ts'
import { silence, type Recording } from '../sets/recording.ts'
import type { Listener } from './listener.ts'
import { VirtualVad } from './virtual-ear.ts'
import { TimedRecogniser } from './timed-recogniser.ts'

export interface Setting {
  flow: FlowSettings
  language: string
  /** What the assistant says, and how it was asked for. */
  speak?: Partial<ActionOf<'speak'>>
}

const frameSamples = 160
const frameMs = 20

/**
 * A conversation of the service without telephone, time and chance: its own detector, recogniser, turn taking and floor, given a recording frame by
 * frame. What it does is noted with its time, in milliseconds since it began.
 */
export class Rehearsal {
  readonly #fixture: ConversationFixture
  readonly #ear: VirtualVad
  /** When the assistant's voice was ducked for the first time. */
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

  /** The endpoint, which answers what it is told. */
  withEndpoint<T>(open: (fixture: ConversationFixture) => T): T {
    return open(this.#fixture)
  }

  /** The caller sends this, as a telephone line carries it. */
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

/** A recording with silence around it, and what became of it. */
export interface Rehearsed {
  recording: Recording
  /** When its first and its last voiced sample were said. */
  voice: { from: number; to: number }
  told: ConversationFixture['told']
  duckedAt: number | undefined
}
