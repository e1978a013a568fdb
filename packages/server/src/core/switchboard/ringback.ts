import type { Call } from '../call/call.ts'
import type { Party } from '../call/party.ts'
import type { Leg, Playback } from '../ports/telephony.ts'

/** What somebody hears who waits for an answer: the own phone's ringing, ours, or what the far end sends before it answers. */
export class Ringback {
  readonly #call: Call
  readonly #waiting: Leg | undefined
  #opening: Promise<void> | undefined
  #signalled = false
  #tone: Playback | undefined

  constructor(call: Call, waiting: Party | undefined) {
    this.#call = call
    this.#waiting = waiting?.leg
  }

  /** Somebody rings. Once there is audio, the phone makes no sound of its own any more. */
  ring(): void {
    this.#call.move('progress')
    if (!this.#waiting) return
    if (this.#opening || this.#waiting.answered) this.#tone ??= this.#waiting.play({ tone: 'ringback' }, { loop: true })
    else if (!this.#signalled) this.#waiting.ring()
    this.#signalled = true
  }

  /** The far end is to be heard before it answers. */
  async hear(leg: Leg): Promise<void> {
    this.#call.move('progress')
    if (!this.#waiting) return
    if (!this.#waiting.answered) await (this.#opening ??= this.#waiting.openEarly())
    if (this.#call.end) return
    this.stop()
    this.#call.bridge.add(this.#waiting)
    this.#call.bridge.add(leg)
  }

  stop(): void {
    this.#tone?.stop()
    this.#tone = undefined
  }
}
