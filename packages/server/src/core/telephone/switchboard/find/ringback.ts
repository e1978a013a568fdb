import type { Call } from '#core/telephone/call/call.ts'
import type { Party } from '#core/telephone/call/state/party.ts'
import type { Bridge, Leg, Playback } from '#core/kernel/ports/telephony.ts'

export interface RingbackOptions {
  waiting: Party | undefined
  /** Where what the far end sends is heard. */
  bridge: () => Bridge
  /** Comes before anything is heard, every time. */
  onRinging: () => void
}

/** What a caller hears while waiting for an answer: the own phone's ringing, ours, or what the far end sends before it answers. */
export class Ringback {
  readonly #call: Call
  readonly #options: RingbackOptions
  #waiting: Leg | undefined
  #opening: Promise<void> | undefined
  #signalled = false
  #tone: Playback | undefined
  #heard: Leg | undefined

  constructor(call: Call, options: RingbackOptions) {
    this.#call = call
    this.#options = options
    this.#waiting = options.waiting?.leg
  }

  /** A phone rings. Once there is audio, the caller's phone makes no sound of its own any more. */
  ring(): void {
    this.#begin()
    if (!this.#waiting) return
    if (this.#opening || this.#waiting.answered) this.#tone ??= this.#waiting.audio.play({ tone: 'ringback' }, { loop: true })
    else if (!this.#signalled) this.#waiting.ring()
    this.#signalled = true
  }

  /** The far end works on it, and there is nothing to be heard. */
  proceed(): void {
    if (!this.#opening && !this.#signalled && !this.#waiting?.answered) this.#waiting?.proceed()
  }

  /** The far end is to be heard before it answers. */
  async hear(leg: Leg): Promise<void> {
    this.#begin()
    if (!this.#waiting) return
    await this.open()
    if (this.#call.end) return
    this.stop()
    this.#heard = leg
    this.#connect()
  }

  /** What is played is heard from now on, also before the call is answered. */
  async open(): Promise<void> {
    if (this.#waiting && !this.#waiting.answered) await (this.#opening ??= this.#waiting.openEarly())
  }

  /** Another party waits from now on. */
  passTo({ leg }: Party): void {
    const rings = this.#tone !== undefined
    this.stop()
    this.#waiting = leg
    if (this.#heard) this.#connect()
    else if (rings) this.ring()
  }

  /** What this one sends is not heard any more. */
  forget(leg: Leg): void {
    if (this.#heard === leg) this.#heard = undefined
    this.#options.bridge().remove(leg)
  }

  stop(): void {
    this.#tone?.stop()
    this.#tone = undefined
  }

  #begin(): void {
    this.#call.progress.ring()
    this.#options.onRinging()
  }

  #connect(): void {
    for (const leg of [this.#waiting, this.#heard]) if (leg) this.#options.bridge().add(leg)
  }
}
