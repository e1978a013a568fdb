import type { Cause, LegEnd, LegObserver } from '#core/kernel/ports/telephony.ts'
import type { Session } from '@offhook/sip/session/session.ts'
import { farewellOf } from './causes.ts'
import { LegLife, type LegLifeOptions } from './leg-life.ts'

/** Common part of all legs: their life as others see it. */
export abstract class BaseLeg {
  protected readonly life: LegLife

  constructor(life: LegLifeOptions) {
    this.life = new LegLife(life)
  }

  get id(): string {
    return this.life.id
  }

  get ended(): Promise<LegEnd> {
    return this.life.ended
  }

  get answered(): boolean {
    return this.life.answered
  }

  get over(): boolean {
    return this.life.over
  }

  observe(observer: LegObserver): () => void {
    return this.life.observe(observer)
  }
}

/** Common part of the legs with an INVITE session: audio and fax. */
export abstract class SessionLeg extends BaseLeg {
  abstract get session(): Session

  /** False if the far end's description does not fit. */
  protected abstract confirm(sdp: string): boolean

  async hangUp(cause: Cause): Promise<void> {
    await this.giveUp({ by: 'us', cause })
  }

  protected async giveUp(end: LegEnd): Promise<void> {
    if (this.life.end(end)) await this.session.end(farewellOf(end.cause, this.answered))
  }

  protected progressed(status: number, sdp: string | undefined): void {
    if (status === 180) this.life.notify((observer) => observer.ringing?.())
    if (status === 183 && sdp === undefined) this.life.notify((observer) => observer.progressing?.())
    if (sdp !== undefined && this.confirm(sdp)) this.life.notify((observer) => observer.earlyAudio?.())
  }

  /** Ends the call and returns false if the far end's description does not fit. */
  protected accepts(sdp: string): boolean {
    const fits = this.confirm(sdp)
    if (!fits) void this.giveUp({ by: 'network', cause: 'not_acceptable' })
    return fits
  }
}
