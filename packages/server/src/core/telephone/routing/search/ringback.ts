import type { Call } from '#core/telephone/call/call.ts'
import type { Party } from '#core/telephone/call/state/party.ts'
import type { Bridge, Leg } from '#core/kernel/ports/telephony.ts'
import type { Playback } from '#core/kernel/ports/audio.ts'

interface RingbackOptions {
  waiting: Party | undefined
  /** Bridge for early media. */
  bridge: () => Bridge
  /** Called each time before anything is heard. */
  onRinging: () => void
  /** Plays music instead of ringback and early media. For callers who are already connected. */
  music: boolean
}

/** Audio of a waiting caller: ringing by their phone, our ringback tone, music, or early media. */
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

  /** A phone rings. With an open audio path the caller's phone no longer generates its own tone. */
  ring(): void {
    this.#begin()
    if (!this.#waiting) return
    if (this.#opening || this.#waiting.answered) this.#tone ??= this.#play(this.#waiting)
    else if (!this.#signalled) this.#waiting.ring()
    this.#signalled = true
  }

  /** The far end is working on the call; there is no audio. */
  proceed(): void {
    if (!this.#opening && !this.#signalled && !this.#waiting?.answered) this.#waiting?.proceed()
  }

  /** Plays early media of the far end. */
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

  /** Opens the audio path before the answer. */
  async open(): Promise<void> {
    if (this.#waiting && !this.#waiting.answered) await (this.#opening ??= this.#waiting.openEarly())
  }

  /** Changes the waiting party. */
  passTo(party: Party): void {
    const rings = this.#tone !== undefined
    this.stop()
    this.#party = party
    if (this.#heard) this.#connect()
    else if (rings) this.ring()
  }

  /** Stops early media of this leg. */
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
