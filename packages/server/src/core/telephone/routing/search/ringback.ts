import type { Call } from '#core/telephone/call/call.ts'
import type { Party } from '#core/telephone/call/state/party.ts'
import type { Bridge, Leg, Playback } from '#core/kernel/ports/telephony.ts'

export interface RingbackOptions {
  waiting: Party | undefined
  /** Where what the far end sends is heard. */
  bridge: () => Bridge
  /** Comes before anything is heard, every time. */
  onRinging: () => void
  /** Instead of all ringing, and of what the far end sends. For callers who talk already. */
  music: boolean
}

/** What a caller hears while waiting for an answer: the own phone's ringing, ours, music, or what the far end sends before it answers. */
export class Ringback {
  readonly #call: Call
  readonly #options: RingbackOptions
  #party: Party | undefined
  #opening: Promise<void> | undefined
  #signalled = false
  #tone: Playback | undefined
  #heard: Leg | undefined

  constructor(call: Call, options: RingbackOptions) {
    this.#call = call
    this.#options = options
    this.#party = options.waiting
  }

  get #waiting(): Leg | undefined {
    return this.#party?.leg
  }

  /** A phone rings. Once there is audio, the caller's phone makes no sound of its own any more. */
  ring(): void {
    this.#begin()
    if (!this.#waiting) return
    if (this.#opening || this.#waiting.answered) this.#tone ??= this.#play(this.#waiting)
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
    if (this.#options.music) return this.ring()
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
  passTo(party: Party): void {
    const rings = this.#tone !== undefined
    this.stop()
    this.#party = party
    if (this.#heard) this.#connect()
    else if (rings) this.ring()
  }

  /** What this one sends is not heard any more. */
  forget(leg: Leg): void {
    if (this.#heard === leg) this.#heard = undefined
    this.#options.bridge().remove(leg)
  }

  stop(): void {
    if (this.#party && this.#options.music) this.#party.hearsMusic = false
    this.#tone?.stop()
    this.#tone = undefined
  }

  #play({ audio }: Leg): Playback {
    if (!this.#options.music) return audio.play({ tone: 'ringback' }, { loop: true })
    if (this.#party) this.#party.hearsMusic = true
    return audio.play({ music: 'hold' }, { loop: true })
  }

  #begin(): void {
    this.#call.progress.ring()
    this.#options.onRinging()
  }

  #connect(): void {
    for (const leg of [this.#waiting, this.#heard]) if (leg) this.#options.bridge().add(leg)
  }
}
