import type { Cause, FaxLeg, Leg } from '#core/kernel/ports/telephony.ts'
import { BaseLeg } from '../leg/base-leg.ts'
import type { LegAudio } from '../leg/leg-audio.ts'
import type { LegLifeOptions } from '../leg/leg-life.ts'

/** Far end, as notified of its call. */
interface Notified {
  ringing(): void
  answered(): void
  held(value: boolean): void
}

/** Common part of the legs without SIP, whose far end is connected to this process: they end with it. */
export abstract class ConnectedLeg extends BaseLeg implements Leg {
  abstract readonly audio: LegAudio
  heldByPeer = false
  /** The far end does not support REFER. */
  readonly refers = false
  protected holding = false
  /** Resolves to false if opening it ended the call. */
  protected media: Promise<boolean> | undefined
  readonly #farEnd: Notified

  constructor(farEnd: Notified, life: LegLifeOptions) {
    super(life)
    this.#farEnd = farEnd
  }

  get leg(): Leg {
    return this
  }

  ring(): void {
    if (this.life.pending) this.#farEnd.ringing()
  }

  /** The far end does not show it. */
  proceed(): void {}

  async openEarly(): Promise<void> {
    if (this.life.pending) await this.openMedia(true)
  }

  async answer(): Promise<void> {
    if (this.answered || !(await this.openMedia(false)) || this.answered) return
    this.life.answered = true
    this.#farEnd.answered()
  }

  async hangUp(cause: Cause): Promise<void> {
    this.life.end({ by: 'us', cause })
  }

  async hold(value: boolean): Promise<void> {
    if (this.over || value === this.holding) return
    if (!this.answered) throw new Error('a leg that has not answered cannot be put on hold')
    this.holding = value
    this.audio.holding = value
    await this.renegotiate?.()
    this.audio.playHoldMusic(value)
    this.#farEnd.held(value)
  }

  /** Another process cannot continue it. */
  abandon(): void {
    this.life.end({ by: 'us', cause: 'normal' })
  }

  dialog(): undefined {
    return undefined
  }

  async refer(): Promise<void> {
    throw new Error('a browser cannot be asked to call')
  }

  asFax(): FaxLeg {
    throw new Error('a browser sends no fax')
  }

  /** Ignores the keys of a far end on hold. */
  presses(digits: string): void {
    if (this.holding) return
    for (const digit of digits) this.life.pressed(digit, { sounded: false })
  }

  hangsUp(): void {
    this.life.end({ by: 'peer', cause: 'normal' })
  }

  /** False if this ended the call, or if it had already ended. */
  protected async openMedia(early: boolean): Promise<boolean> {
    const opened = await (this.media ??= this.negotiate(early))
    return opened && !this.over
  }

  /** Opens the audio; resolves to false if that ended the call. */
  protected abstract negotiate(early: boolean): Promise<boolean>

  /** Applies a changed `holding` to the media. */
  protected renegotiate?(): Promise<void>
}
